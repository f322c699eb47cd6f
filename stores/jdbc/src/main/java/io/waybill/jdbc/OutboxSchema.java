package io.waybill.jdbc;

import io.waybill.WaybillException;
import io.waybill.jdbc.internal.assumption.Assumptions;
import io.waybill.jdbc.internal.assumption.Violation;
import io.waybill.jdbc.internal.assumption.Violation.Concern;
import io.waybill.jdbc.internal.journal.Rebase;
import io.waybill.jdbc.internal.journal.UnreachableRows;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.schema.EngineMigration;
import io.waybill.jdbc.internal.schema.LaneCount;
import io.waybill.jdbc.internal.schema.TableColumns;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlScript;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Waybill's tables: plain SQL that people can read and apply by themselves. */
public final class OutboxSchema {
    /** The version that this library reads and writes. */
    public static final int VERSION = 1;

    private OutboxSchema() {}

    /** The journal's schema on {@linkplain DatabaseProduct#usual PostgreSQL} as one SQL script. */
    public static String sql() {
        return sql(Engine.JOURNAL);
    }

    /** The whole schema of an engine on {@linkplain DatabaseProduct#usual PostgreSQL} as one SQL script. */
    public static String sql(Engine engine) {
        return sql(DatabaseProduct.usual(), engine);
    }

    /** The whole schema of an engine as one SQL script. */
    public static String sql(DatabaseProduct product, Engine engine) {
        product.require(engine);
        return product.script("shared.sql").text() + "\n"
                + product.script(engine.label() + ".sql").text();
    }

    /** Creates the tables of the engine that is usual here, unless there are tables already, of either engine. */
    public static boolean apply(DataSource dataSource) {
        return apply(dataSource, engineOrUsual(dataSource));
    }

    /**
     * Creates the tables unless they are there in this version and for this engine: on PostgreSQL all or none, elsewhere what an
     * interrupted call has left out.
     *
     * @return whether anything was created
     */
    public static boolean apply(DataSource dataSource, Engine engine) {
        return new Transactions(dataSource, engine).transaction("apply the schema", connection -> {
            SqlScript script = new SqlScript(sql(DatabaseProduct.of(connection), engine));
            return script.apply(connection, () -> {
                Optional<Installed> found = installed(connection);
                String problem =
                        found.map(installed -> installed.against(engine)).orElse(null);
                if (problem != null) {
                    throw new StoreException(problem, null);
                }
                return found.isPresent();
            });
        });
    }

    /** The engine that the tables belong to; empty when there are none. */
    public static Optional<Engine> engine(DataSource dataSource) {
        return new Transactions(dataSource)
                .transaction("look at the schema", OutboxSchema::installed)
                .map(Installed::engine)
                .flatMap(Engine::of);
    }

    /** The engine that the tables belong to, or would if there were any. */
    public static Engine engineOrUsual(DataSource dataSource) {
        return engine(dataSource).orElseGet(() -> product(dataSource).usualEngine());
    }

    /** Which database this is. */
    public static DatabaseProduct product(DataSource dataSource) {
        return new Transactions(dataSource).query("look at the database", DatabaseProduct::of);
    }

    /** {@link #problems(DataSource, Engine)} of the tables that are there, whichever engine they belong to. */
    public static List<String> problems(DataSource dataSource) {
        return problems(dataSource, engineOrUsual(dataSource));
    }

    /** Everything that is wrong with the tables, each with its remedy; empty when all is well. */
    public static List<String> problems(DataSource dataSource, Engine engine) {
        return problems(dataSource, engine, EnumSet.of(Concern.TABLES, Concern.REBASE));
    }

    /**
     * {@link #problems(DataSource, Engine)}, and everything that keeps a relay from working through these connections although a
     * service may write through them, such as row-level security.
     */
    public static List<String> relayProblems(DataSource dataSource, Engine engine) {
        return problems(dataSource, engine, EnumSet.allOf(Concern.class));
    }

    private static List<String> problems(DataSource dataSource, Engine engine, Set<Concern> concerns) {
        return new Transactions(dataSource, engine).transaction("check the schema", connection -> {
            List<String> problems = layoutProblems(connection, engine);
            return problems.isEmpty()
                    ? violations(connection, engine).stream()
                            .filter(violation -> concerns.contains(violation.concern()))
                            .map(Violation::message)
                            .toList()
                    : problems;
        });
    }

    /** All that the engine assumes and does not find, also what takes a look at the events. */
    public static List<Violation> violations(Connection connection, Engine engine) throws SQLException {
        List<Violation> violations = new ArrayList<>(Assumptions.violations(connection, engine));
        if (engine == Engine.JOURNAL && violations.isEmpty()) {
            UnreachableRows.inAnyLane(connection)
                    .ifPresent(e -> violations.add(new Violation(Concern.REBASE, String.valueOf(e.getMessage()))));
        }
        return violations;
    }

    public static List<String> layoutProblems(Connection connection, Engine engine) throws SQLException {
        Optional<Installed> found = installed(connection);
        if (found.isEmpty()) {
            return List.of(
                    "Waybill's tables do not exist in this database (looked where its connections look by default). Create them with"
                            + " waybill schema apply, or give the output of waybill schema print to your migration tool.");
        }
        String problem = found.get().against(engine);
        if (problem != null) {
            return List.of(problem);
        }
        List<String> problems = new ArrayList<>();
        for (String table : engine.tables()) {
            if (!exists(connection, table)) {
                problems.add("Table " + table
                        + " is missing. Compare your database with the output of waybill schema print.");
            }
        }
        problems.addAll(TableColumns.problems(connection, new SqlScript(sql(DatabaseProduct.of(connection), engine))));
        return problems;
    }

    /** {@link #check(DataSource, Engine)} of the tables that are there, whichever engine they belong to. */
    public static void check(DataSource dataSource) {
        demand(problems(dataSource));
    }

    /** Throws with all {@link #problems} when there are any. */
    public static void check(DataSource dataSource, Engine engine) {
        demand(problems(dataSource, engine));
    }

    private static void demand(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new WaybillException(String.join(System.lineSeparator(), problems));
        }
    }

    /**
     * Whether this is a journal whose transaction or sequence numbers are not what its cursors know: it was restored from a dump or
     * replicated, or its sequence was altered or set back. {@link #rebase} repairs it; services may write meanwhile.
     */
    public static boolean needsRebase(DataSource dataSource) {
        return engine(dataSource).equals(Optional.of(Engine.JOURNAL))
                && new Transactions(dataSource, Engine.JOURNAL).transaction("check the schema", connection -> {
                    if (!layoutProblems(connection, Engine.JOURNAL).isEmpty()) {
                        return false; // which a rebase does not repair
                    }
                    List<Violation> violations = violations(connection, Engine.JOURNAL);
                    return violations.stream().anyMatch(violation -> violation.concern() == Concern.REBASE)
                            && violations.stream().noneMatch(violation -> violation.concern() == Concern.TABLES);
                });
    }

    /**
     * Makes a journal that was restored from a dump fit this cluster, or one whose sequence was altered or set back deliver what was
     * written since. Events that were not published are published; those whose state cannot be known are published once more.
     * Stop its relays first, or they lose their lanes; writers wait meanwhile. Does nothing when all is well.
     *
     * @return how many events are pending, those in the side table aside
     */
    public static long rebase(DataSource dataSource) {
        return new Transactions(dataSource, Engine.JOURNAL).transaction("rebase the journal", connection -> {
            demand(layoutProblems(connection, Engine.JOURNAL));
            return Rebase.rebase(connection);
        });
    }

    /**
     * Moves the outbox to another engine: all events with their states, the order of every key, dead letters, records of
     * operators, grants. One transaction; writers wait meanwhile, for as long as it takes to copy the events.
     *
     * @param fenceRelays whether to take the lanes of relays that are still running; what they have in flight may then be
     *     published twice. Otherwise refuses while there are any.
     * @return how many events are pending; empty when the tables belong to that engine already
     */
    public static OptionalLong migrate(DataSource dataSource, Engine to, boolean fenceRelays) {
        if (engine(dataSource).equals(Optional.of(to))) {
            return OptionalLong.empty();
        }
        product(dataSource).require(to);
        check(dataSource, to.other());
        return OptionalLong.of(new Transactions(dataSource)
                .transaction("move the outbox", c -> EngineMigration.move(c, to.other(), fenceRelays)));
    }

    /** How many lanes there are: as many relays can share the work. */
    public static int lanes(DataSource dataSource) {
        return new Transactions(dataSource).query("count the lanes", LaneCount::read);
    }

    /**
     * Changes the number of lanes. One transaction, in which writers wait for the indexes to be built anew; relays notice
     * with their next heartbeat.
     *
     * @param fenceRelays as for {@link #migrate}
     */
    public static void changeLanes(DataSource dataSource, int lanes, boolean fenceRelays) {
        if (lanes < 1 || lanes > LaneTable.MOST_LANES) {
            throw new WaybillException("There can be 1 to " + LaneTable.MOST_LANES + " lanes, not " + lanes
                    + ". Choose as many as relays may share the" + " work, and some more.");
        }
        product(dataSource).requireChangeOfLanes();
        Engine engine = engineOrUsual(dataSource);
        check(dataSource, engine);
        new Transactions(dataSource).transaction("change the number of lanes", connection -> {
            LaneCount.change(connection, engine, lanes, fenceRelays);
            return lanes;
        });
    }

    /** What the tables say about themselves. */
    private record Installed(int version, String engine) {
        /** What keeps this program from using the tables for that engine, if anything. */
        @Nullable
        String against(Engine wanted) {
            if (version > VERSION) {
                return "The tables have schema version " + version + ", this program knows versions up to " + VERSION
                        + ". Use a newer Waybill with this database.";
            }
            if (version < VERSION) {
                return "The tables have schema version " + version + ", this program needs " + VERSION
                        + ". Migrate them, or use the Waybill that made them.";
            }
            return engine.equals(wanted.label())
                    ? null
                    : "The tables belong to the " + engine + " engine, not to the " + wanted.label()
                            + " engine. Configure engine: " + engine
                            + " or leave it out; or move the tables with waybill schema"
                            + " migrate --to " + wanted.label() + ".";
        }
    }

    private static Optional<Installed> installed(Connection connection) throws SQLException {
        if (!exists(connection, "waybill_schema")) {
            return Optional.empty();
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT version, engine FROM waybill_schema WHERE component = 'outbox'")) {
            return row.next() ? Optional.of(new Installed(row.getInt(1), row.getString(2))) : Optional.empty();
        }
    }

    public static boolean exists(Connection connection, String table) throws SQLException {
        return Sql.on(connection).tableExists(table);
    }
}

package io.waybill.jdbc;

import io.waybill.WaybillException;
import io.waybill.jdbc.internal.assumption.Violation;
import io.waybill.jdbc.internal.assumption.Violation.Concern;
import io.waybill.jdbc.internal.journal.Rebase;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.schema.EngineMigration;
import io.waybill.jdbc.internal.schema.InstalledSchema;
import io.waybill.jdbc.internal.schema.LaneCount;
import io.waybill.jdbc.internal.sql.SqlScript;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.StoreException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import javax.sql.DataSource;

/** Creates, checks, migrates and repairs the outbox tables. Their definition is plain SQL that you can read and apply yourself. */
public final class OutboxSchema {
    /** The version that this library reads and writes. */
    public static final int VERSION = InstalledSchema.VERSION;

    private OutboxSchema() {}

    /** Returns the SQL script that creates the tables of the journal engine on PostgreSQL. */
    public static String sql() {
        return sql(Engine.JOURNAL);
    }

    /** Returns the SQL script that creates the tables of an engine on PostgreSQL. */
    public static String sql(Engine engine) {
        return sql(DatabaseProduct.defaultProduct(), engine);
    }

    /** Returns the SQL script that creates the tables of an engine. */
    public static String sql(DatabaseProduct product, Engine engine) {
        return InstalledSchema.script(product, engine).text();
    }

    /** Creates the tables of the database's default engine, unless the tables of any engine exist. */
    public static boolean apply(DataSource dataSource) {
        return apply(dataSource, engineOrDefault(dataSource));
    }

    /**
     * Creates the tables unless they exist in this version and for this engine. On PostgreSQL, this is one transaction. On other
     * databases, an interrupted call leaves some tables behind, and the next call creates the missing ones.
     *
     * @return whether any table was created
     */
    public static boolean apply(DataSource dataSource, Engine engine) {
        return new Transactions(dataSource, engine).transaction("apply the schema", connection -> {
            SqlScript script = InstalledSchema.script(DatabaseProduct.of(connection), engine);
            return script.apply(connection, () -> {
                Optional<InstalledSchema> installed = InstalledSchema.read(connection);
                Optional<String> mismatch = installed.flatMap(schema -> schema.mismatch(engine));
                if (mismatch.isPresent()) {
                    throw new StoreException(mismatch.get(), null);
                }
                return installed.isPresent();
            });
        });
    }

    /** Returns the engine of the existing tables; empty if the tables do not exist. */
    public static Optional<Engine> engine(DataSource dataSource) {
        return new Transactions(dataSource)
                .transaction("read the version of the schema", InstalledSchema::read)
                .map(InstalledSchema::engine)
                .flatMap(Engine::of);
    }

    /** Returns the engine of the existing tables, or the database's default engine if the tables do not exist. */
    public static Engine engineOrDefault(DataSource dataSource) {
        return engine(dataSource).orElseGet(() -> product(dataSource).defaultEngine());
    }

    /** Returns the product of the database. */
    public static DatabaseProduct product(DataSource dataSource) {
        return new Transactions(dataSource).query("identify the database", DatabaseProduct::of);
    }

    /** As {@link #problems(DataSource, Engine)}, for the engine of the existing tables. */
    public static List<String> problems(DataSource dataSource) {
        return problems(dataSource, engineOrDefault(dataSource));
    }

    /** Returns the problems of the tables, each with its remedy. */
    public static List<String> problems(DataSource dataSource, Engine engine) {
        return problems(dataSource, engine, EnumSet.of(Concern.TABLES, Concern.REBASE));
    }

    /**
     * As {@link #problems(DataSource, Engine)}, and includes the problems of these connections that concern only relays, such as
     * row-level security.
     */
    public static List<String> relayProblems(DataSource dataSource, Engine engine) {
        return problems(dataSource, engine, EnumSet.allOf(Concern.class));
    }

    private static List<String> problems(DataSource dataSource, Engine engine, Set<Concern> concerns) {
        return new Transactions(dataSource, engine).transaction("check the schema", connection -> {
            List<String> problems = InstalledSchema.problems(connection, engine);
            return problems.isEmpty()
                    ? InstalledSchema.violations(connection, engine).stream()
                            .filter(violation -> concerns.contains(violation.concern()))
                            .map(Violation::message)
                            .toList()
                    : problems;
        });
    }

    /** As {@link #check(DataSource, Engine)}, for the engine of the existing tables. */
    public static void check(DataSource dataSource) {
        requireNone(problems(dataSource));
    }

    /** Throws an exception that lists all {@link #problems}, if there are any. */
    public static void check(DataSource dataSource, Engine engine) {
        requireNone(problems(dataSource, engine));
    }

    private static void requireNone(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new WaybillException(String.join(System.lineSeparator(), problems));
        }
    }

    /**
     * Whether the tables belong to the journal engine and need {@link #rebase}, because they were restored from a dump or replicated,
     * or because their sequence was altered or set back. Services can write events in the meantime.
     */
    public static boolean needsRebase(DataSource dataSource) {
        return engine(dataSource).equals(Optional.of(Engine.JOURNAL))
                && new Transactions(dataSource, Engine.JOURNAL).transaction("check the schema", connection -> {
                    if (!InstalledSchema.problems(connection, Engine.JOURNAL).isEmpty()) {
                        return false; // a rebase does not repair these problems
                    }
                    List<Violation> violations = InstalledSchema.violations(connection, Engine.JOURNAL);
                    return violations.stream().anyMatch(violation -> violation.concern() == Concern.REBASE)
                            && violations.stream().noneMatch(violation -> violation.concern() == Concern.TABLES);
                });
    }

    /**
     * Repairs a journal that was restored from a dump, or whose sequence was altered or set back. All events that were not published
     * will be published; events whose state is unknown will be published once more. Stop the relays first, or they lose their lanes.
     * Writers wait until the repair is finished. A no-op if nothing needs repair.
     *
     * @return the number of pending events, without those in the side table
     */
    public static long rebase(DataSource dataSource) {
        return new Transactions(dataSource, Engine.JOURNAL).transaction("rebase the journal", connection -> {
            requireNone(InstalledSchema.problems(connection, Engine.JOURNAL));
            return Rebase.rebase(connection);
        });
    }

    /**
     * Moves the outbox to another engine, with all events and their states, the order of every key, dead letters, the audit and
     * grants. This is one transaction. Writers wait while it copies the events.
     *
     * @param fenceRelays whether to fence relays that are still running; events that they have in flight may then be published twice.
     *     If false, running relays make this method fail.
     * @return the number of pending events; empty if the tables belong to that engine already
     */
    public static OptionalLong migrate(DataSource dataSource, Engine to, boolean fenceRelays) {
        if (engine(dataSource).equals(Optional.of(to))) {
            return OptionalLong.empty();
        }
        product(dataSource).require(to);
        check(dataSource, to.other());
        return OptionalLong.of(new Transactions(dataSource)
                .transaction("migrate the outbox", c -> EngineMigration.move(c, to.other(), fenceRelays)));
    }

    /** Returns the number of lanes, which is also the largest number of relays that can share the work. */
    public static int lanes(DataSource dataSource) {
        return new Transactions(dataSource).query("count the lanes", LaneCount::read);
    }

    /**
     * Changes the number of lanes, in one transaction. Writers wait while it rebuilds the indexes. Relays read the new number with
     * their next heartbeat.
     *
     * @param fenceRelays see {@link #migrate}
     */
    public static void changeLanes(DataSource dataSource, int lanes, boolean fenceRelays) {
        if (lanes < 1 || lanes > LaneTable.MAX_LANES) {
            throw new WaybillException("The number of lanes must be 1 to " + LaneTable.MAX_LANES + ", not " + lanes
                    + ". Choose more lanes than you will run relays.");
        }
        product(dataSource).requireChangeOfLanes();
        Engine engine = engineOrDefault(dataSource);
        check(dataSource, engine);
        new Transactions(dataSource).transaction("change the number of lanes", connection -> {
            LaneCount.change(connection, engine, lanes, fenceRelays);
            return lanes;
        });
    }
}

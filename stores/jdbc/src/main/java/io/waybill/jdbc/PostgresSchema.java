package io.waybill.jdbc;

import io.waybill.WaybillException;
import io.waybill.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Waybill's tables on PostgreSQL: plain SQL that people can read and apply by themselves. */
public final class PostgresSchema {
    /** The version that this library reads and writes. */
    public static final int VERSION = 1;

    /** Serialises concurrent calls of {@link #apply}; any number will do, as long as it stays the same. */
    static final long APPLY_LOCK = 0x5741_5942_494c_4cL;

    private PostgresSchema() {}

    /** The queue engine's schema as one SQL script. */
    public static String sql() {
        return sql(Engine.QUEUE);
    }

    /** The whole schema of an engine as one SQL script. */
    public static String sql(Engine engine) {
        return script("shared.sql") + "\n" + script(engine.label() + ".sql");
    }

    static String script(String name) {
        try (InputStream script = PostgresSchema.class.getResourceAsStream("postgresql/" + name)) {
            if (script == null) {
                throw new WaybillException(
                        "postgresql/" + name + " is missing from the jar. Use an intact build of Waybill.");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates the queue engine's tables: {@link #apply(DataSource, Engine)}. */
    public static boolean apply(DataSource dataSource) {
        return apply(dataSource, Engine.QUEUE);
    }

    /**
     * Creates the tables, all or none, unless they are there in this version and for this engine.
     *
     * @return whether anything was created
     */
    public static boolean apply(DataSource dataSource, Engine engine) {
        return new Database(dataSource).transaction("apply the schema", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_xact_lock(" + APPLY_LOCK + ")");
                Optional<Installed> found = installed(connection);
                if (found.isPresent()) {
                    String problem = found.get().against(engine);
                    if (problem != null) {
                        throw new StoreException(problem, null);
                    }
                    return false;
                }
                statement.execute(sql(engine));
                return true;
            }
        });
    }

    /** The engine that the tables belong to; empty when there are none. */
    public static Optional<Engine> engine(DataSource dataSource) {
        return new Database(dataSource)
                .transaction("look at the schema", PostgresSchema::installed)
                .map(Installed::engine)
                .flatMap(Engine::of);
    }

    /** {@link #problems(DataSource, Engine)} of the queue engine's tables. */
    public static List<String> problems(DataSource dataSource) {
        return problems(dataSource, Engine.QUEUE);
    }

    /** Everything that is wrong with the tables, each with its remedy; empty when all is well. */
    public static List<String> problems(DataSource dataSource, Engine engine) {
        return new Database(dataSource).transaction("check the schema", connection -> {
            Optional<Installed> found = installed(connection);
            if (found.isEmpty()) {
                return List.of(
                        "Waybill's tables do not exist in this database (looked along search_path). Create them with"
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
            return problems;
        });
    }

    /** {@link #check(DataSource, Engine)} of the queue engine's tables. */
    public static void check(DataSource dataSource) {
        check(dataSource, Engine.QUEUE);
    }

    /** Throws with all {@link #problems} when there are any. */
    public static void check(DataSource dataSource, Engine engine) {
        List<String> problems = problems(dataSource, engine);
        if (!problems.isEmpty()) {
            throw new WaybillException(String.join(System.lineSeparator(), problems));
        }
    }

    /**
     * Makes a journal that was restored from a dump fit this cluster, without losing or repeating events. Stop its relays
     * first, or they lose their lanes; writers wait meanwhile. Does nothing when the cursors are of this cluster.
     *
     * @return how many events are pending, those in the side table aside
     */
    public static long rebase(DataSource dataSource) {
        check(dataSource, Engine.JOURNAL);
        return new Database(dataSource).transaction("rebase the journal", JournalRebase::rebase);
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
                            + " engine. Configure engine: " + engine + ", or use another database or schema.";
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

    static boolean exists(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL")) {
            return row.next() && row.getBoolean(1);
        }
    }
}

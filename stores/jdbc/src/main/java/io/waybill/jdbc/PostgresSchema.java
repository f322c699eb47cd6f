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
import java.util.OptionalInt;
import javax.sql.DataSource;

/** Waybill's tables on PostgreSQL: plain SQL that people can read and apply by themselves. */
public final class PostgresSchema {
    /** The version that this library reads and writes. */
    public static final int VERSION = 1;

    /** Serialises concurrent calls of {@link #apply}; any number will do, as long as it stays the same. */
    private static final long APPLY_LOCK = 0x5741_5942_494c_4cL;

    private static final List<String> TABLES = List.of(
            "outbox_events",
            "outbox_lanes",
            "outbox_claims",
            "outbox_relays",
            "outbox_states",
            "outbox_audit",
            "outbox_audit_events");

    private PostgresSchema() {}

    /** The whole schema as one SQL script. */
    public static String sql() {
        try (InputStream script = PostgresSchema.class.getResourceAsStream("postgresql/schema.sql")) {
            if (script == null) {
                throw new WaybillException(
                        "postgresql/schema.sql is missing from the jar. Use an intact build of Waybill.");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Creates the tables, all or none, unless they are there in this version.
     *
     * @return whether anything was created
     */
    public static boolean apply(DataSource dataSource) {
        return new Database(dataSource).transaction("apply the schema", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_xact_lock(" + APPLY_LOCK + ")");
                OptionalInt found = version(connection);
                if (found.isPresent()) {
                    requireKnown(found.getAsInt());
                    return false;
                }
                statement.execute(sql());
                return true;
            }
        });
    }

    /** Everything that is wrong with the tables, each with its remedy; empty when all is well. */
    public static List<String> problems(DataSource dataSource) {
        return new Database(dataSource).transaction("check the schema", connection -> {
            List<String> problems = new ArrayList<>();
            OptionalInt found = version(connection);
            if (found.isEmpty()) {
                problems.add(
                        "Waybill's tables do not exist in this database (looked along search_path). Create them with"
                                + " waybill schema apply, or give the output of waybill schema print to your migration tool.");
            } else if (found.getAsInt() != VERSION) {
                problems.add(wrongVersion(found.getAsInt()));
            } else {
                for (String table : TABLES) {
                    if (!exists(connection, table)) {
                        problems.add("Table " + table
                                + " is missing. Compare your database with the output of waybill schema print.");
                    }
                }
            }
            return problems;
        });
    }

    /** Throws with all {@link #problems} when there are any. */
    public static void check(DataSource dataSource) {
        List<String> problems = problems(dataSource);
        if (!problems.isEmpty()) {
            throw new WaybillException(String.join(System.lineSeparator(), problems));
        }
    }

    private static void requireKnown(int found) {
        if (found != VERSION) {
            throw new StoreException(wrongVersion(found), null);
        }
    }

    private static String wrongVersion(int found) {
        return found > VERSION
                ? "The tables have schema version " + found + ", this program knows versions up to " + VERSION
                        + ". Use a newer Waybill with this database."
                : "The tables have schema version " + found + ", this program needs " + VERSION
                        + ". Migrate them, or use the Waybill that made them.";
    }

    private static OptionalInt version(Connection connection) throws SQLException {
        if (!exists(connection, "waybill_schema")) {
            return OptionalInt.empty();
        }
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT version FROM waybill_schema WHERE component = 'outbox'")) {
            return row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty();
        }
    }

    private static boolean exists(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL")) {
            return row.next() && row.getBoolean(1);
        }
    }
}

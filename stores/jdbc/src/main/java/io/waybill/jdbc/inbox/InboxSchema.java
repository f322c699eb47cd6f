package io.waybill.jdbc.inbox;

import io.waybill.WaybillException;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlScript;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;

/** The inbox's tables: plain SQL that people can read and apply by themselves. */
public final class InboxSchema {
    /** The version that this library reads and writes. */
    public static final int VERSION = 1;

    private static final List<String> TABLES = List.of(
            "processed_events",
            "inbox_held",
            "inbox_versions",
            "inbox_dead_letters",
            "inbox_audit",
            "inbox_audit_events",
            "inbox_pauses",
            "inbox_effects",
            "idempotency_keys");

    private InboxSchema() {}

    /** The whole schema on {@linkplain DatabaseProduct#usual PostgreSQL} as one SQL script. */
    public static String sql() {
        return sql(DatabaseProduct.usual());
    }

    /** The whole schema as one SQL script. */
    public static String sql(DatabaseProduct product) {
        return product.script("inbox.sql").text();
    }

    /**
     * Creates the tables unless they are there in this version: on PostgreSQL all or none, elsewhere what an interrupted call
     * has left out.
     *
     * @return whether anything was created
     */
    public static boolean apply(DataSource dataSource) {
        return new Transactions(dataSource).transaction("apply the inbox schema", connection -> {
            SqlScript script = new SqlScript(sql(DatabaseProduct.of(connection)));
            return script.apply(connection, () -> {
                OptionalInt found = installed(connection);
                if (found.isPresent()) {
                    demand(versionProblems(found.getAsInt()));
                }
                return found.isPresent();
            });
        });
    }

    /** Everything that is wrong with the tables, each with its remedy; empty when all is well. */
    public static List<String> problems(DataSource dataSource) {
        return new Transactions(dataSource).transaction("check the inbox schema", connection -> {
            OptionalInt found = installed(connection);
            if (found.isEmpty()) {
                return List.of(
                        "The inbox's tables do not exist in this database (looked where its connections look by default). Create them with"
                                + " waybill inbox schema apply, or give the output of waybill inbox schema print to your migration"
                                + " tool.");
            }
            List<String> problems = new ArrayList<>(versionProblems(found.getAsInt()));
            if (problems.isEmpty()) {
                for (String table : TABLES) {
                    if (!Sql.on(connection).tableExists(table)) {
                        problems.add("Table " + table
                                + " is missing. Compare your database with the output of waybill inbox schema print.");
                    }
                }
            }
            return problems;
        });
    }

    /** Throws with all {@link #problems} when there are any. */
    public static void check(DataSource dataSource) {
        demand(problems(dataSource));
    }

    private static void demand(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new WaybillException(String.join(System.lineSeparator(), problems));
        }
    }

    private static List<String> versionProblems(int version) {
        return version == VERSION
                ? List.of()
                : List.of("The inbox's tables have schema version " + version + ", this program needs " + VERSION
                        + (version > VERSION ? ". Use a newer Waybill with this database." : ". Migrate them."));
    }

    private static OptionalInt installed(Connection connection) throws SQLException {
        if (!Sql.on(connection).tableExists("waybill_schema")) {
            return OptionalInt.empty();
        }
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT version FROM waybill_schema WHERE component = 'inbox'")) {
            return row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty();
        }
    }
}

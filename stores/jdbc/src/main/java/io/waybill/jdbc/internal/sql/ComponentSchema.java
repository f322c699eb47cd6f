package io.waybill.jdbc.internal.sql;

import io.waybill.WaybillException;
import io.waybill.jdbc.DatabaseProduct;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;

/**
 * Creates and checks the tables of one component, which a single script creates.
 *
 * @param component the name in {@code waybill_schema}, and of the script
 * @param owner names the owner of the tables in messages, as in "the inbox"
 * @param command the program's group of commands that prints and applies the script
 * @param version the version that this library reads and writes
 */
public record ComponentSchema(String component, String owner, String command, int version, List<String> tables) {
    public ComponentSchema {
        tables = List.copyOf(tables);
    }

    public String sql(DatabaseProduct product) {
        return product.script(component + ".sql").text();
    }

    /** The end of an error message that begins with "Cannot …: ", for tables that do not exist. */
    public String missing() {
        return owner + "'s tables do not exist. Create them with " + command + " apply, or give the output of "
                + command + " print to your migration tool.";
    }

    /** @return whether any table was created */
    public boolean apply(DataSource dataSource) {
        return new Transactions(dataSource).transaction("apply the " + component + " schema", connection -> {
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

    /** Whether the tables exist, in any version. */
    public boolean isInstalled(DataSource dataSource) {
        return new Transactions(dataSource)
                .transaction(
                        "look for the " + component + " schema",
                        connection -> installed(connection).isPresent());
    }

    /** Returns the problems of the tables, each with its remedy. */
    public List<String> problems(DataSource dataSource) {
        return new Transactions(dataSource).transaction("check the " + component + " schema", connection -> {
            OptionalInt found = installed(connection);
            if (found.isEmpty()) {
                return List.of(capitalized()
                        + "'s tables do not exist in the default schema of this database's connections. Create them with "
                        + command + " apply, or give the output of " + command + " print to your migration tool.");
            }
            List<String> problems = new ArrayList<>(versionProblems(found.getAsInt()));
            if (problems.isEmpty()) {
                for (String table : tables) {
                    if (!Sql.on(connection).tableExists(table)) {
                        problems.add("Table " + table + " is missing. Compare your database with the output of "
                                + command + " print.");
                    }
                }
            }
            return problems;
        });
    }

    /** Throws an exception that lists all {@link #problems}, if there are any. */
    public void check(DataSource dataSource) {
        demand(problems(dataSource));
    }

    private static void demand(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new WaybillException(String.join(System.lineSeparator(), problems));
        }
    }

    private List<String> versionProblems(int found) {
        return found == version
                ? List.of()
                : List.of(capitalized() + "'s tables have schema version " + found
                        + ", and this program needs version " + version
                        + (found > version
                                ? ". Use a newer Waybill with this database."
                                : ". Migrate the tables to this version."));
    }

    private String capitalized() {
        return Character.toUpperCase(owner.charAt(0)) + owner.substring(1);
    }

    private OptionalInt installed(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        if (!sql.tableExists("waybill_schema")) {
            return OptionalInt.empty();
        }
        return sql.query(
                "SELECT version FROM waybill_schema WHERE component = ?",
                row -> row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty(),
                component);
    }
}

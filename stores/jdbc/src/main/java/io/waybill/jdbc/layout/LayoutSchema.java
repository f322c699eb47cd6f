package io.waybill.jdbc.layout;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.DatabaseRole;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.internal.schema.InstalledSchema;
import io.waybill.jdbc.internal.schema.TableColumns;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlScript;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Waybill's own tables for a served table: those of the queue engine and two more, in a schema of their own. */
public final class LayoutSchema {
    private static final String SERVED = "SELECT source FROM outbox_intake";

    /** The privileges that a relay needs in addition to those of the queue engine, by table. */
    static final Map<String, String> PRIVILEGES = new TreeMap<>(Map.of(
            "outbox_events", "INSERT", "outbox_intake", "SELECT, UPDATE", "outbox_sources", "SELECT, INSERT, DELETE"));

    private LayoutSchema() {}

    /** Returns the complete schema for PostgreSQL as one SQL script. */
    public static String sql(Layout layout) {
        return "CREATE SCHEMA IF NOT EXISTS " + layout.schema() + ";\nSET search_path = " + layout.schema() + ";\n\n"
                + OutboxSchema.sql(Engine.QUEUE) + "\n" + own(DatabaseProduct.defaultProduct(), layout);
    }

    private static String own(DatabaseProduct product, Layout layout) {
        return product.script("layout.sql").text() + "INSERT INTO outbox_intake (source) VALUES ('"
                + layout.table().replace("'", "''") + "');\n";
    }

    /** Returns the GRANT statements that a relay needs if it does not own the tables. */
    public static List<String> grants(Layout layout, String role) {
        List<String> grants = new ArrayList<>();
        grants.add("GRANT USAGE ON SCHEMA " + layout.schema() + " TO " + role + ";");
        grants.addAll(DatabaseRole.RELAY.grants(Engine.QUEUE, role));
        PRIVILEGES.forEach((table, allowed) -> grants.add("GRANT " + allowed + " ON " + table + " TO " + role + ";"));
        grants.add("GRANT SELECT, " + String.join(", ", layout.changeKinds()) + " ON " + layout.table() + " TO " + role
                + ";");
        layout.archive().ifPresent(archive -> grants.add("GRANT SELECT, INSERT ON " + archive + " TO " + role + ";"));
        return grants;
    }

    /**
     * Creates the schema and the tables that are missing.
     *
     * @return whether anything was created
     */
    public static boolean apply(DataSource dataSource, Layout layout) {
        Transactions database = new Transactions(dataSource);
        database.transaction("create schema " + layout.schema(), connection -> {
            DatabaseProduct.of(connection).requireLayouts();
            boolean there = Sql.on(connection).exists("SELECT 1 WHERE to_regnamespace(?) IS NOT NULL", layout.schema());
            // A role without the privilege to create schemas can use an existing one.
            return there ? 0 : Sql.on(connection).update("CREATE SCHEMA IF NOT EXISTS " + layout.schema());
        });
        database.query("look at the schema", connection -> {
            requireSchema(connection, layout);
            return true;
        });
        boolean created = OutboxSchema.apply(dataSource, Engine.QUEUE);
        return database.transaction(
                        "create the tables of layout " + layout.name(),
                        connection -> new SqlScript(own(DatabaseProduct.of(connection), layout))
                                .apply(connection, () -> Sql.on(connection).tableExists("outbox_intake")))
                || created;
    }

    /** Returns the problems of Waybill's own tables; {@link LayoutCheck} examines the served table. */
    public static List<String> problems(DataSource dataSource, Layout layout) {
        return new Transactions(dataSource).transaction("check the schema of layout " + layout.name(), connection -> {
            DatabaseProduct.of(connection).requireLayouts();
            requireSchema(connection, layout);
            List<String> problems = new ArrayList<>(InstalledSchema.problems(connection, Engine.QUEUE));
            if (!problems.isEmpty()) {
                return problems;
            }
            if (!Sql.on(connection).tableExists("outbox_intake")) {
                return List.of("The tables in schema " + layout.schema()
                        + " do not serve a table yet. Create the missing tables with waybill schema apply.");
            }
            String served = served(connection);
            if (!served.equals(layout.table())) {
                return List.of("The tables in schema " + layout.schema() + " serve " + served + ", not "
                        + layout.table() + ". Name another schema in the layout, with a line `schema = …`.");
            }
            problems.addAll(TableColumns.problems(
                    connection, DatabaseProduct.of(connection).script("layout.sql")));
            InstalledSchema.violations(connection, Engine.QUEUE)
                    .forEach(violation -> problems.add(violation.message()));
            return problems;
        });
    }

    private static String served(Connection connection) throws SQLException {
        return Sql.on(connection)
                .query(SERVED, (ResultSet row) -> row.next() ? row.getString(1) : "no table (outbox_intake is empty)");
    }

    /** Unqualified names must resolve to Waybill's own tables, although the served table may have the name of one of them. */
    private static void requireSchema(Connection connection, Layout layout) throws SQLException {
        String wanted = LayoutEntry.catalogued(layout.schema());
        // current_schema() is null if no schema of the search path exists.
        String schema = Sql.on(connection)
                .query("SELECT coalesce(current_schema(), ?)", row -> row.next() ? row.getString(1) : wanted, wanted);
        if (!schema.equals(wanted)) {
            throw new StoreException(
                    "Connections use schema " + schema + ", but layout " + layout.name()
                            + " has Waybill's own tables in schema " + wanted + ". Add currentSchema=" + wanted
                            + " to the database's address, or set the role's search_path.",
                    null);
        }
    }
}

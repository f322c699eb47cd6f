package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the catalog of PostgreSQL about the table of a layout. */
final class TableCatalog {
    private static final String SIZE = """
            SELECT CASE WHEN reltuples < 0 THEN 'never analysed' ELSE 'about ' || CAST(reltuples AS bigint) || ' rows' END
                   || ', ' || pg_size_pretty(pg_total_relation_size(oid)) FROM pg_class WHERE oid = to_regclass(?)""";

    private static final String UNIQUE = """
            SELECT coalesce(bool_or(i.indisunique AND i.indnkeyatts = 1), false) FROM pg_index i
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indrelid = to_regclass(?) AND a.attname = ? AND i.indpred IS NULL AND i.indisvalid HAVING count(*) > 0""";

    private static final String PARTIAL =
            "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(?) AND indpred IS NOT NULL";

    private final Sql sql;
    private final Layout layout;

    /** How a column is indexed. */
    enum Index {
        NONE,
        NOT_UNIQUE,
        UNIQUE
    }

    TableCatalog(Connection connection, Layout layout) throws SQLException {
        this.sql = Sql.on(connection);
        this.layout = layout;
    }

    String size() throws SQLException {
        return queryText(SIZE, layout.table());
    }

    String user() throws SQLException {
        return queryText("SELECT current_user");
    }

    String quotedUser() throws SQLException {
        return queryText("SELECT quote_ident(current_user)");
    }

    /** Returns the privileges that this role needs and lacks. UPDATE may be granted for single columns. */
    List<String> missingPrivileges(ServedTable table) throws SQLException {
        List<String> missing = new ArrayList<>();
        if (!queryBoolean("SELECT has_table_privilege(?, 'SELECT')", layout.table())) {
            missing.add("SELECT");
        }
        boolean deletes = layout.changeKinds().contains("DELETE");
        if (deletes && !queryBoolean("SELECT has_table_privilege(?, 'DELETE')", layout.table())) {
            missing.add("DELETE");
        }
        for (RowTransition step : RowTransition.values()) {
            for (String column : table.changes(step).keySet()) {
                if (!missing.contains("UPDATE")
                        && !queryBoolean(
                                "SELECT has_column_privilege(?, ?, 'UPDATE')",
                                layout.table(),
                                LayoutEntry.catalogued(column))) {
                    missing.add("UPDATE");
                }
            }
        }
        return missing;
    }

    /**
     * Returns the missing grants on the tables of Waybill that only relays with a layout use. Empty while the tables do not
     * exist.
     */
    List<String> missingOwnPrivileges() throws SQLException {
        List<String> missing = new ArrayList<>();
        for (Map.Entry<String, String> needed : LayoutSchema.PRIVILEGES.entrySet()) {
            for (String privilege : needed.getValue().split(", ", -1)) {
                if (queryBoolean("SELECT NOT has_table_privilege(to_regclass(?)::oid, ?)", needed.getKey(), privilege)
                        && queryBoolean("SELECT to_regclass('outbox_intake') IS NOT NULL")) {
                    missing.add("GRANT " + privilege + " ON " + needed.getKey() + " TO " + quotedUser() + ";");
                }
            }
        }
        return missing;
    }

    boolean hidesRows() throws SQLException {
        return queryBoolean("SELECT row_security_active(?)", layout.table());
    }

    Index index(String column) throws SQLException {
        return sql.query(
                UNIQUE,
                row -> !row.next() ? Index.NONE : row.getBoolean(1) ? Index.UNIQUE : Index.NOT_UNIQUE,
                layout.table(),
                LayoutEntry.catalogued(column));
    }

    /** @param index in the schema of the table */
    boolean partial(String index) throws SQLException {
        String schema = layout.table().substring(0, layout.table().indexOf('.') + 1);
        return sql.exists(PARTIAL, schema + index);
    }

    private boolean queryBoolean(String query, @Nullable Object... parameters) throws SQLException {
        return sql.query(query, row -> row.next() && row.getBoolean(1), parameters);
    }

    private String queryText(String query, @Nullable Object... parameters) throws SQLException {
        return sql.query(query, row -> row.next() ? String.valueOf(row.getString(1)) : "", parameters);
    }
}

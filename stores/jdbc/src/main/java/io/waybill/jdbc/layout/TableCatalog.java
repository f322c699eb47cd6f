package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What PostgreSQL's catalogue says about the table of a layout. */
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
        return text(SIZE, layout.table());
    }

    String user() throws SQLException {
        return text("SELECT current_user");
    }

    String quotedUser() throws SQLException {
        return text("SELECT quote_ident(current_user)");
    }

    /** What this user needs and lacks; changes may be allowed column by column. */
    List<String> missingPrivileges(ServedTable table) throws SQLException {
        List<String> missing = new ArrayList<>();
        if (!truth("SELECT has_table_privilege(?, 'SELECT')", layout.table())) {
            missing.add("SELECT");
        }
        boolean deletes = layout.deletes(RowTransition.SUCCESS) || layout.deletes(RowTransition.DEAD);
        if (deletes && !truth("SELECT has_table_privilege(?, 'DELETE')", layout.table())) {
            missing.add("DELETE");
        }
        for (RowTransition step : RowTransition.values()) {
            for (String column : table.changes(step).keySet()) {
                if (!missing.contains("UPDATE")
                        && !truth(
                                "SELECT has_column_privilege(?, ?, 'UPDATE')",
                                layout.table(),
                                LayoutEntry.catalogued(column))) {
                    missing.add("UPDATE");
                }
            }
        }
        return missing;
    }

    /** The grants for Waybill's own tables that are missing, beside those that every relay needs; none as long as there are no tables. */
    List<String> missingOwnPrivileges() throws SQLException {
        List<String> missing = new ArrayList<>();
        for (Map.Entry<String, String> needed : LayoutSchema.PRIVILEGES.entrySet()) {
            for (String privilege : needed.getValue().split(", ", -1)) {
                if (truth("SELECT NOT has_table_privilege(to_regclass(?)::oid, ?)", needed.getKey(), privilege)
                        && truth("SELECT to_regclass('outbox_intake') IS NOT NULL")) {
                    missing.add("GRANT " + privilege + " ON " + needed.getKey() + " TO " + quotedUser() + ";");
                }
            }
        }
        return missing;
    }

    boolean hidesRows() throws SQLException {
        return truth("SELECT row_security_active(?)", layout.table());
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

    private boolean truth(String query, @Nullable Object... parameters) throws SQLException {
        return sql.query(query, row -> row.next() && row.getBoolean(1), parameters);
    }

    private String text(String query, @Nullable Object... parameters) throws SQLException {
        return sql.query(query, row -> row.next() ? String.valueOf(row.getString(1)) : "", parameters);
    }
}

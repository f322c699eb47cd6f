package io.waybill.jdbc.layout;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A layout and the columns that its table actually has. */
final class ServedTable {
    /** The type modifier of a text column is its maximum length plus 4. */
    private static final String COLUMNS = """
            SELECT a.attname, format_type(a.atttypid, NULL), CASE WHEN a.atttypmod > 4 AND t.typcategory = 'S' THEN a.atttypmod - 4 END,
                   pg_get_expr(d.adbin, d.adrelid), a.attgenerated <> '' OR a.attidentity = 'a'
            FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum""";

    private static final String LOCKABLE = "SELECT has_any_column_privilege(to_regclass(?)::oid, 'UPDATE')";

    private final Layout layout;
    private final Map<String, Column> columns;
    private final boolean lockable;

    /**
     * @param longest the maximum length in characters; null if unlimited
     * @param fallback the default expression, if any
     * @param generated whether only the database can write the column
     */
    record Column(
            String type,
            @Nullable Integer longest,
            @Nullable String fallback,
            boolean generated) {
        boolean isText() {
            return type.equals("text") || type.startsWith("character");
        }
    }

    private ServedTable(Layout layout, Map<String, Column> columns, boolean lockable) {
        this.layout = layout;
        this.columns = columns;
        this.lockable = lockable;
    }

    /** Returns empty if the table does not exist. */
    static Optional<ServedTable> find(Connection connection, Layout layout) throws SQLException {
        DatabaseProduct.of(connection).requireLayouts();
        Map<String, Column> columns = columns(connection, layout.table());
        if (columns.isEmpty()) {
            return Optional.empty();
        }
        boolean lockable = Sql.on(connection).query(LOCKABLE, row -> row.next() && row.getBoolean(1), layout.table());
        return Optional.of(new ServedTable(layout, columns, lockable));
    }

    /** Returns the columns of a table, in their order; none if it does not exist. */
    static Map<String, Column> columns(Connection connection, String table) throws SQLException {
        Map<String, Column> columns = new LinkedHashMap<>();
        return Sql.on(connection)
                .query(
                        COLUMNS,
                        row -> {
                            while (row.next()) {
                                int longest = row.getInt(3);
                                Integer limit = row.wasNull() ? null : longest;
                                columns.put(
                                        row.getString(1),
                                        new Column(row.getString(2), limit, row.getString(4), row.getBoolean(5)));
                            }
                            return columns;
                        },
                        table);
    }

    /** @throws StoreException if the table or a column is missing; the message names it */
    static ServedTable require(Connection connection, Layout layout) throws SQLException {
        ServedTable table = find(connection, layout)
                .orElseThrow(() -> new StoreException(
                        "There is no table " + layout.table() + ", which layout " + layout.name()
                                + " serves. Correct its line `table`, or the database in --database.",
                        null));
        List<String> missing = table.missing();
        if (!missing.isEmpty()) {
            throw new StoreException(
                    layout.table() + " lacks columns of layout " + layout.name() + ": " + String.join(", ", missing)
                            + ". Run `waybill layout check` for the remedy.",
                    null);
        }
        return table;
    }

    Layout layout() {
        return layout;
    }

    /** The names of all columns, as the catalog has them. */
    List<String> columns() {
        return List.copyOf(columns.keySet());
    }

    boolean has(String identifier) {
        return columns.containsKey(LayoutEntry.catalogued(identifier));
    }

    Optional<Column> column(String identifier) {
        return Optional.ofNullable(columns.get(LayoutEntry.catalogued(identifier)));
    }

    /** The required columns that the table lacks. */
    List<String> missing() {
        List<String> missing = new ArrayList<>();
        LayoutParser.COLUMNS.forEach(key -> layout.find(key)
                .filter(value -> value.isColumn() && !value.optional() && !has(value.text()))
                .ifPresent(value -> missing.add(value.text())));
        layout.section("header").values().stream()
                .filter(value -> value.isColumn() && !value.optional() && !has(value.text()))
                .forEach(value -> missing.add(value.text()));
        for (RowTransition step : RowTransition.values()) {
            layout.section(step.label()).forEach((column, value) -> {
                if (!value.optional() && !has(column)) {
                    missing.add(column);
                }
            });
        }
        for (String column : orderNames()) {
            if (!column.endsWith("?") && !has(column)) {
                missing.add(column);
            }
        }
        return missing.stream().distinct().toList();
    }

    private List<String> orderNames() {
        return List.of(layout.required("order").text().split("\\s*,\\s*", -1));
    }

    /** The order columns that the table has. */
    List<String> order() {
        return orderNames().stream()
                .map(column -> column.replace("?", ""))
                .filter(this::has)
                .toList();
    }

    /** The columns to write for this transition, as far as the table has them. */
    Map<String, LayoutEntry> changes(RowTransition step) {
        Map<String, LayoutEntry> changes = layout.section(step.label());
        changes.keySet().removeIf(column -> !has(column));
        return changes;
    }

    /** The value of a part of the event, if the layout defines it and the table has its column. */
    Optional<LayoutEntry> part(String key) {
        return layout.find(key).filter(this::readable);
    }

    boolean readable(LayoutEntry value) {
        return !value.isColumn() || has(value.text());
    }

    /** Whether this role may lock rows, so that statements can skip rows that are locked. */
    boolean lockable() {
        return lockable;
    }

    String idType() {
        return column(layout.required("id").text()).map(Column::type).orElse("uuid");
    }

    /** Whether an event has the id of its row; otherwise {@code outbox_sources} maps one to the other. */
    boolean sameIds() {
        return idType().equals("uuid");
    }
}

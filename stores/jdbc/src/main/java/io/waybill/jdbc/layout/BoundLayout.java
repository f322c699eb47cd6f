package io.waybill.jdbc.layout;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A layout and its table. The table is examined on first use, so that a relay can be built while its database is unavailable. */
public final class BoundLayout {
    private final Layout layout;
    private volatile @Nullable Bound bound;
    private volatile @Nullable RowRetention retention;

    private record Bound(ServedTable table, LayoutSql sql) {}

    public BoundLayout(Layout layout) {
        this.layout = layout;
    }

    Layout layout() {
        return layout;
    }

    ServedTable table(Connection connection) throws SQLException {
        return bound(connection).table;
    }

    LayoutSql sql(Connection connection) throws SQLException {
        return bound(connection).sql;
    }

    /** Returns the retention of the served table, for a layout that has one. */
    RowRetention retention(Connection connection) throws SQLException {
        RowRetention known = retention;
        if (known == null) {
            known = RowRetention.of(connection, table(connection));
            retention = known;
        }
        return known;
    }

    private Bound bound(Connection connection) throws SQLException {
        Bound known = bound;
        if (known == null) {
            ServedTable table = ServedTable.require(connection, layout);
            known = new Bound(table, new LayoutSql(table));
            bound = known;
        }
        return known;
    }
}

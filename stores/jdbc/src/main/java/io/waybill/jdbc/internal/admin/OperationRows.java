package io.waybill.jdbc.internal.admin;

import io.waybill.admin.BulkOperation;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads rows of {@code outbox_operations}. */
final class OperationRows {
    static final String COLUMNS = "o.id, o.kind, o.filter, o.actor, o.reason, o.state, o.total_events, o.done_events,"
            + " o.failed_events, o.skipped_events, o.arrived_events, o.rate_per_second, o.created_at, o.ended_at, o.error,"
            + " o.reached";

    private OperationRows() {}

    /** @param reached the cursor after the last examined event; null at the start */
    record Stored(BulkOperation operation, @Nullable String reached) {}

    static List<Stored> read(Sql sql, ResultSet row) throws SQLException {
        List<Stored> operations = new ArrayList<>();
        while (row.next()) {
            BulkOperation operation = new BulkOperation(
                    sql.dialect().uuid(row, 1),
                    BulkOperation.Kind.valueOf(row.getString(2)),
                    StoredFilter.parse(row.getString(3)),
                    row.getString(4),
                    row.getString(5),
                    BulkOperation.State.valueOf(row.getString(6)),
                    row.getLong(7),
                    row.getLong(8),
                    row.getLong(9),
                    row.getLong(10),
                    row.getLong(11),
                    row.getInt(12),
                    EventRows.time(sql.dialect(), row, 13),
                    sql.dialect().instant(row, 14),
                    row.getString(15));
            operations.add(new Stored(operation, row.getString(16)));
        }
        return operations;
    }
}

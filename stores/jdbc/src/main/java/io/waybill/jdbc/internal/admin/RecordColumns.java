package io.waybill.jdbc.internal.admin;

import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The indexes of the columns of {@link ViewStatements#records} that follow those of the event, resolved once per result. */
record RecordColumns(
        int state,
        int lane,
        int seq,
        int retryCount,
        int createdAt,
        int nextAttemptAt,
        int lastError,
        int lockedBy,
        int lockedUntil,
        int processedAt) {

    static RecordColumns of(ResultSet rows) throws SQLException {
        return new RecordColumns(
                rows.findColumn("state"),
                rows.findColumn("lane"),
                rows.findColumn("seq"),
                rows.findColumn("retry_count"),
                rows.findColumn("created_at"),
                rows.findColumn("next_attempt_at"),
                rows.findColumn("last_error"),
                rows.findColumn("locked_by"),
                rows.findColumn("locked_until"),
                rows.findColumn("processed_at"));
    }

    EventRecord read(Dialect dialect, ResultSet row) throws SQLException {
        return new EventRecord(
                EventRows.event(dialect, row),
                EventState.valueOf(row.getString(state)),
                row.getInt(lane),
                row.getLong(seq),
                row.getInt(retryCount),
                EventRows.time(dialect, row, createdAt),
                EventRows.instant(dialect, row, nextAttemptAt),
                row.getString(lastError),
                row.getString(lockedBy),
                EventRows.instant(dialect, row, lockedUntil),
                EventRows.instant(dialect, row, processedAt));
    }
}

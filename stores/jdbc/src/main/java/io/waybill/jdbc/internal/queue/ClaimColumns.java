package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.event.Candidate;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** The indexes of the columns of {@link QueueStatements#position} in a result, resolved once per result. */
record ClaimColumns(int seq, int retryCount, int retried, int ageMicros, int crashCount) {
    static ClaimColumns of(ResultSet rows) throws SQLException {
        return new ClaimColumns(
                rows.findColumn("seq"),
                rows.findColumn("retry_count"),
                rows.findColumn("retried"),
                rows.findColumn("age_micros"),
                rows.findColumn("crash_count"));
    }

    UUID id(Dialect dialect, ResultSet row) throws SQLException {
        return dialect.uuid(row, EventRows.ID);
    }

    Candidate candidate(Dialect dialect, ResultSet row) throws SQLException {
        return Candidate.read(
                dialect,
                row,
                row.getLong(seq),
                row.getInt(retryCount),
                row.getBoolean(retried),
                row.getLong(ageMicros));
    }

    int crashes(ResultSet row) throws SQLException {
        return row.getInt(crashCount);
    }
}

package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.sql.Dialect;

/**
 * The statements of the queue engine that only H2 uses: lanes with due retries, and pruning. {@link StoredLaneStatements} contains those
 * that H2 shares with MariaDB and MySQL. Its query for pending events is {@link PendingQuery#UNION_ALL}.
 */
final class H2QueueStatements extends StoredLaneStatements {
    H2QueueStatements(Dialect dialect) {
        super(dialect, dueLanes(dialect), prune(dialect));
    }

    private static String dueLanes(Dialect dialect) {
        return "SELECT DISTINCT d.lane FROM outbox_lanes d WHERE d.lane = ANY (?) AND (SELECT 1 FROM outbox_events"
                + " WHERE lane = d.lane AND processed_at IS NULL AND next_attempt_at <= " + dialect.now() + " AND "
                + dialect.isBefore("next_attempt_at", dialect.infinity()) + " LIMIT 1) IS NOT NULL";
    }

    /** Joins with outbox_lanes, because H2 reads every event of the lanes when they are given as a list. */
    private static String prune(Dialect dialect) {
        return "DELETE FROM outbox_events WHERE seq IN (SELECT e.seq FROM outbox_lanes l"
                + " JOIN outbox_events e USE INDEX (outbox_events_open) ON e.lane = l.lane WHERE "
                + dialect.isBefore("processed_at", dialect.minusMillis(dialect.now()))
                + " AND dead_at IS NULL LIMIT ?)";
    }

    @Override
    PendingQuery pending() {
        return PendingQuery.UNION_ALL;
    }
}

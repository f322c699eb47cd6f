package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.sql.Dialect;

/** The queue's statements on H2. */
final class H2QueueStatements extends StoredLaneStatements {
    private final String dueLanes;
    private final String ready;
    private final String prune;

    H2QueueStatements(Dialect dialect) {
        super(dialect);
        dueLanes = "SELECT DISTINCT d.lane FROM outbox_lanes d WHERE d.lane = ANY (?) AND (SELECT 1 FROM outbox_events"
                + " WHERE lane = d.lane AND processed_at IS NULL AND next_attempt_at <= " + dialect.now() + " AND "
                + dialect.isBefore("next_attempt_at", dialect.infinity()) + " LIMIT 1) IS NOT NULL";
        ready = """
                SELECT l.lane FROM outbox_lanes l WHERE l.lane = ANY (?)
                   AND (SELECT 1 FROM outbox_events e WHERE e.lane = l.lane AND e.processed_at IS NULL
                        AND e.next_attempt_at IS NULL LIMIT 1) IS NOT NULL
                UNION ALL
                """ + dueLanes;
        // Lane by lane: given a list of lanes, H2 reads every event of theirs.
        prune = "DELETE FROM outbox_events WHERE seq IN (SELECT e.seq FROM outbox_lanes l"
                + " JOIN outbox_events e USE INDEX (outbox_events_open) ON e.lane = l.lane WHERE "
                + dialect.isBefore("processed_at", dialect.minusMillis(dialect.now()))
                + " AND dead_at IS NULL LIMIT ?)";
    }

    @Override
    String dueLanes() {
        return dueLanes;
    }

    @Override
    String ready() {
        return ready;
    }

    @Override
    String prune() {
        return prune;
    }

    @Override
    PendingQuery pending() {
        return PendingQuery.UNION_ALL;
    }
}

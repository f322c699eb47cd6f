package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.admin.ViewQueries;
import io.waybill.jdbc.internal.admin.ViewQueries.Source;

/** How the queue engine's tables are read for people. */
public final class OperatorQueries {
    /** Counts come from the partial indexes on open events. */
    public static final String COUNTS = """
            SELECT clock_timestamp(),
                (SELECT count(*) FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NULL),
                (SELECT count(*) FROM outbox_claims c JOIN outbox_lanes l ON l.lane = c.lane
                 JOIN outbox_events e ON outbox_lane(e.aggregate_id) = c.lane AND e.seq BETWEEN c.low AND c.high
                 WHERE e.processed_at IS NULL AND e.next_attempt_at IS NULL AND l.expires_at > now()),
                h.claimed, h.retrying, 0, h.parked, h.blocked, d.dead,
                coalesce(greatest(0, extract(epoch FROM clock_timestamp() - least(h.oldest, (
                    SELECT min(f.created_at) FROM outbox_lanes l CROSS JOIN LATERAL (
                        SELECT e.created_at FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                        AND e.next_attempt_at IS NULL ORDER BY e.seq LIMIT 1) f))))::float8, 0)
            FROM (SELECT count(*) FILTER (WHERE state = 'CLAIMED') AS claimed,
                         count(*) FILTER (WHERE state = 'PENDING') AS retrying,
                         count(*) FILTER (WHERE state = 'PARKED') AS parked,
                         count(DISTINCT aggregate_id) FILTER (WHERE state <> 'PARKED') AS blocked,
                         min(created_at) FILTER (WHERE state <> 'DEAD_LETTER') AS oldest
                  FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NOT NULL) h,
                 (SELECT count(*) AS dead FROM outbox_events WHERE dead_at IS NOT NULL) d""";

    private static final String OLDEST_IN_LANE = """
            SELECT e.created_at FROM outbox_events e
            WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL AND e.next_attempt_at IS NULL
            ORDER BY e.seq LIMIT 1""";

    private static final String STATE = """
            CASE WHEN e.processed_at IS NULL AND e.next_attempt_at IS NULL AND EXISTS (
                     SELECT 1 FROM outbox_claims c JOIN outbox_lanes l ON l.lane = c.lane
                     WHERE c.lane = outbox_lane(e.aggregate_id) AND e.seq BETWEEN c.low AND c.high
                       AND l.owner IS NOT NULL AND l.expires_at > now())
                 THEN 'CLAIMED' ELSE e.state END""";

    /** Dead letters that block their keys are listed as dead letters. */
    private static final Source HELD = new Source("""
            SELECT * FROM outbox_events e
            WHERE e.processed_at IS NULL AND e.next_attempt_at IS NOT NULL AND e.dead_at IS NULL %1$s
            ORDER BY e.seq LIMIT %2$d""", "e.seq");

    private static final Source WAITING = new Source("""
            SELECT e.* FROM outbox_lanes l CROSS JOIN LATERAL (
                SELECT * FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                AND e.next_attempt_at IS NULL %1$s ORDER BY e.seq LIMIT %2$d) e ORDER BY e.seq LIMIT %2$d""", "e.seq");

    private static final Source CLAIMED = new Source("""
            SELECT e.* FROM outbox_claims c CROSS JOIN LATERAL (
                SELECT * FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = c.lane AND e.processed_at IS NULL
                AND e.next_attempt_at IS NULL AND e.seq BETWEEN c.low AND c.high %1$s ORDER BY e.seq LIMIT %2$d) e
            ORDER BY e.seq LIMIT %2$d""", "e.seq");

    private static final Source DEAD = new Source("""
            SELECT * FROM outbox_events e WHERE e.dead_at IS NOT NULL %1$s
            ORDER BY e.dead_at, e.seq LIMIT %2$d""", "s.processed_at, e.seq");

    private static final Source SETTLED = new Source("""
            SELECT * FROM outbox_events e WHERE e.processed_at IS NOT NULL AND e.dead_at IS NULL %1$s
            ORDER BY e.processed_at DESC LIMIT %2$d""", "s.processed_at DESC");

    public static final ViewQueries VIEW =
            new ViewQueries(COUNTS, OLDEST_IN_LANE, STATE, HELD, WAITING, CLAIMED, DEAD, SETTLED, SETTLED);

    private OperatorQueries() {}
}

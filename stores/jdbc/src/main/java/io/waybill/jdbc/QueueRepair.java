package io.waybill.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/** Dead letters of the queue engine. */
final class QueueRepair implements PostgresDeadLetters.Repair {
    private static final String LOCK = """
            SELECT 1 FROM outbox_lanes WHERE lane IN (
                SELECT outbox_lane(aggregate_id) FROM outbox_events WHERE id = ANY (?)) ORDER BY lane FOR UPDATE""";

    /**
     * Of several dead letters of one key, the first becomes due and the others park behind it, as if it had failed once
     * more: so they go out in order whatever happens to it.
     */
    private static final String REPLAY = """
            WITH chosen AS (
                SELECT id, row_number() OVER (PARTITION BY aggregate_id ORDER BY seq) AS place
                FROM (SELECT id, aggregate_id, seq FROM outbox_events
                      WHERE id = ANY (?) AND dead_at IS NOT NULL AND state = 'DEAD_LETTER' FOR UPDATE) d)
            UPDATE outbox_events e
            SET state = CASE WHEN c.place = 1 THEN 'PENDING' ELSE 'PARKED' END,
                next_attempt_at = CASE WHEN c.place = 1 THEN now() ELSE 'infinity'::timestamptz END,
                retry_count = 0, crash_count = 0, processed_at = NULL, dead_at = NULL
            FROM chosen c WHERE e.id = c.id RETURNING e.id, e.aggregate_id, e.seq""";

    private static final String DISCARD = """
            UPDATE outbox_events e
            SET state = 'DISCARDED', processed_at = now(), dead_at = NULL, next_attempt_at = NULL
            WHERE id = ANY (?) AND dead_at IS NOT NULL AND state = 'DEAD_LETTER' RETURNING e.id, e.aggregate_id, e.seq""";

    @Override
    public String lock() {
        return LOCK;
    }

    @Override
    public String replay() {
        return REPLAY;
    }

    @Override
    public String discard() {
        return DISCARD;
    }

    /** What is claimed next looks for itself whether something holds it back. */
    @Override
    public void replayed(Connection connection, Map<String, Long> keys) {}

    @Override
    public void discarded(Connection connection, Set<String> keys) throws SQLException {
        QueueSettlement.unpark(connection, keys);
    }
}

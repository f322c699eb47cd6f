package io.waybill.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/** Dead letters of the journal. */
final class JournalRepair implements PostgresDeadLetters.Repair {
    /** In the order of lanes, so that two operators do not wait for each other. */
    private static final String LOCK = """
            SELECT 1 FROM outbox_cursors WHERE lane IN (
                SELECT outbox_lane(aggregate_id) FROM outbox_events WHERE id = ANY (?)) ORDER BY lane FOR NO KEY UPDATE""";

    /** The first of a key becomes due, unless an earlier event of the key waits; the others park behind it. */
    private static final String REPLAY = """
            WITH chosen AS (
                SELECT d.id, row_number() OVER (PARTITION BY d.aggregate_id ORDER BY d.seq) = 1
                       AND NOT EXISTS (SELECT 1 FROM outbox_held b WHERE b.aggregate_id = d.aggregate_id AND b.seq < d.seq
                                       AND b.next_attempt_at IS NOT NULL) AS due
                FROM outbox_held d WHERE d.id = ANY (?) AND d.dead_at IS NOT NULL AND d.state = 'DEAD_LETTER')
            UPDATE outbox_held h
            SET state = CASE WHEN c.due THEN 'PENDING' ELSE 'PARKED' END,
                next_attempt_at = CASE WHEN c.due THEN now() ELSE 'infinity'::timestamptz END,
                retry_count = 0, crash_count = 0, dead_at = NULL, settled_at = NULL
            FROM chosen c WHERE h.id = c.id RETURNING h.id, h.aggregate_id, h.seq""";

    private static final String DISCARD = """
            UPDATE outbox_held h
            SET state = 'DISCARDED', settled_at = now(), dead_at = NULL, next_attempt_at = NULL
            WHERE id = ANY (?) AND dead_at IS NOT NULL AND state = 'DEAD_LETTER' RETURNING h.id, h.aggregate_id, h.seq""";

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

    @Override
    public void replayed(Connection connection, Map<String, Long> keys) throws SQLException {
        HeldTable.parkBehind(connection, keys);
    }

    @Override
    public void discarded(Connection connection, Set<String> keys) throws SQLException {
        HeldTable.unpark(connection, keys);
    }
}

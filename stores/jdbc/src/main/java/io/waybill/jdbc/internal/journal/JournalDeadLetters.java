package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.admin.JdbcDeadLetters;
import io.waybill.jdbc.internal.admin.JdbcDeadLetters.Dead;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Replays and discards dead letters of the journal, whose rows are in {@code outbox_held}. */
public final class JournalDeadLetters implements JdbcDeadLetters.Repair {
    /** Locks lanes in ascending order, so that two operators cannot deadlock. */
    private static final String LOCK = """
            SELECT 1 FROM outbox_cursors WHERE lane IN (
                SELECT outbox_lane(aggregate_id) FROM outbox_events WHERE id = ANY (?)) ORDER BY lane FOR NO KEY UPDATE""";

    /** The first chosen event of each key becomes due, unless an earlier event of the key is held; the others are parked. */
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
    public void lock(Sql sql, List<UUID> ids) throws SQLException {
        sql.exists(LOCK, ids);
    }

    @Override
    public List<Dead> replay(Sql sql, List<UUID> ids) throws SQLException {
        List<Dead> replayed = sql.query(REPLAY, row -> Dead.read(sql, row), ids);
        Map<String, Long> keys = new LinkedHashMap<>();
        replayed.forEach(letter -> keys.merge(letter.key(), letter.seq(), Math::min));
        if (!keys.isEmpty()) {
            OutboxHeldTable.parkBehind(sql, keys);
        }
        return replayed;
    }

    @Override
    public List<Dead> discard(Sql sql, List<UUID> ids) throws SQLException {
        List<Dead> discarded = sql.query(DISCARD, row -> Dead.read(sql, row), ids);
        Map<String, Long> keys = new LinkedHashMap<>();
        discarded.forEach(letter -> keys.put(letter.key(), 0L));
        if (!keys.isEmpty()) {
            OutboxHeldTable.unpark(sql, keys);
        }
        return discarded;
    }
}

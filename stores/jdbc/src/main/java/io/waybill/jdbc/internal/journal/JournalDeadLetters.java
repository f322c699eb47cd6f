package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.admin.Repair;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Replays and discards dead letters of the journal, whose rows are in {@code outbox_held}. */
public final class JournalDeadLetters implements Repair {
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

    /** The earlier events of a key become due, too: no event may be due earlier than an event before it. */
    private static final String RETRY_NOW = """
            UPDATE outbox_held h SET next_attempt_at = now()
            FROM (SELECT c.aggregate_id, max(c.seq) AS seq FROM outbox_held c
                  WHERE c.id = ANY (?) AND c.state = 'PENDING' AND c.next_attempt_at < 'infinity' AND c.next_attempt_at > now()
                  GROUP BY c.aggregate_id) k
            WHERE h.aggregate_id = k.aggregate_id AND h.seq <= k.seq AND h.state = 'PENDING'
              AND h.next_attempt_at IS NOT NULL AND h.next_attempt_at < 'infinity' AND h.next_attempt_at > now()
            RETURNING h.id, h.aggregate_id, h.seq""";

    private static final String DISCARD_FIRST = """
            UPDATE outbox_held SET state = 'DISCARDED', settled_at = now(), dead_at = NULL, next_attempt_at = NULL
            WHERE id = ?""";

    private static final String UNBLOCK = "UPDATE outbox_held SET next_attempt_at = NULL WHERE id = ?";

    private static final String HELD_OF_KEY = """
            SELECT id, state FROM outbox_held WHERE aggregate_id = ? AND next_attempt_at IS NOT NULL
            ORDER BY seq LIMIT ?""";

    @Override
    public List<Held> held(Sql sql, String key, int limit) throws SQLException {
        return sql.query(
                HELD_OF_KEY,
                row -> {
                    List<Held> held = new ArrayList<>();
                    while (row.next()) {
                        held.add(new Held(sql.dialect().uuid(row, 1), row.getString(2)));
                    }
                    return held;
                },
                key,
                limit);
    }

    @Override
    public List<Changed> retryNow(Sql sql, List<UUID> ids) throws SQLException {
        return sql.query(RETRY_NOW, row -> Changed.read(sql, row), ids);
    }

    @Override
    public void discardFirst(Sql sql, UUID id, String key) throws SQLException {
        sql.update(DISCARD_FIRST, id);
        OutboxHeldTable.unpark(sql, Map.of(key, 0L));
    }

    @Override
    public void unblock(Sql sql, UUID id, String key) throws SQLException {
        sql.update(UNBLOCK, id);
        OutboxHeldTable.unpark(sql, Map.of(key, 0L));
    }

    @Override
    public void lock(Sql sql, List<UUID> ids) throws SQLException {
        sql.exists(LOCK, ids);
    }

    @Override
    public List<Changed> replay(Sql sql, List<UUID> ids) throws SQLException {
        List<Changed> replayed = sql.query(REPLAY, row -> Changed.read(sql, row), ids);
        Map<String, Long> keys = new LinkedHashMap<>();
        replayed.forEach(letter -> keys.merge(letter.key(), letter.seq(), Math::min));
        if (!keys.isEmpty()) {
            OutboxHeldTable.parkBehind(sql, keys);
        }
        return replayed;
    }

    @Override
    public List<Changed> discard(Sql sql, List<UUID> ids) throws SQLException {
        List<Changed> discarded = sql.query(DISCARD, row -> Changed.read(sql, row), ids);
        Map<String, Long> keys = new LinkedHashMap<>();
        discarded.forEach(letter -> keys.put(letter.key(), 0L));
        if (!keys.isEmpty()) {
            OutboxHeldTable.unpark(sql, keys);
        }
        return discarded;
    }
}

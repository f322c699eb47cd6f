package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.admin.JdbcDeadLetters;
import io.waybill.jdbc.internal.admin.JdbcDeadLetters.Dead;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Dead letters of the queue engine. */
public final class DeadLetterRepair implements JdbcDeadLetters.Repair {
    /** Not of the lanes' rows: heartbeats change those, and wait for no operator. */
    public static final String LOCK = """
            SELECT 1 FROM outbox_claims WHERE lane IN (
                SELECT outbox_lane(aggregate_id) FROM outbox_events WHERE id = ANY (?)) ORDER BY lane FOR NO KEY UPDATE""";

    private static final String DEAD = """
            SELECT id, aggregate_id, seq FROM outbox_events
            WHERE id = ANY (?) AND dead_at IS NOT NULL AND state = 'DEAD_LETTER' ORDER BY seq FOR UPDATE""";

    private static final String REPLAY = """
            UPDATE outbox_events
            SET state = ?, next_attempt_at = CASE WHEN ? THEN now() ELSE 'infinity' END, retry_count = 0, crash_count = 0,
                processed_at = NULL, dead_at = NULL
            WHERE id = ANY (?)""";

    private static final String DISCARD = """
            UPDATE outbox_events SET state = 'DISCARDED', processed_at = now(), dead_at = NULL, next_attempt_at = NULL
            WHERE id = ANY (?)""";

    @Override
    public void lock(Sql sql, List<UUID> ids) throws SQLException {
        sql.exists(LOCK, ids);
    }

    /**
     * Of several dead letters of one key, the first becomes due and the others park behind it, as if it had failed once
     * more: so they go out in order whatever happens to it. What is claimed next looks for itself whether something holds it
     * back.
     */
    @Override
    public List<Dead> replay(Sql sql, List<UUID> ids) throws SQLException {
        List<Dead> dead = find(sql, ids);
        Set<String> keys = new HashSet<>();
        List<UUID> first = new ArrayList<>();
        List<UUID> others = new ArrayList<>();
        dead.forEach(letter -> (keys.add(letter.key()) ? first : others).add(letter.id()));
        if (!first.isEmpty()) {
            sql.update(REPLAY, "PENDING", true, first);
        }
        if (!others.isEmpty()) {
            sql.update(REPLAY, "PARKED", false, others);
        }
        return dead;
    }

    @Override
    public List<Dead> discard(Sql sql, List<UUID> ids) throws SQLException {
        List<Dead> dead = find(sql, ids);
        if (!dead.isEmpty()) {
            sql.update(DISCARD, dead.stream().map(Dead::id).toList());
            Set<String> keys = new HashSet<>();
            dead.forEach(letter -> keys.add(letter.key()));
            ParkedEvents.free(sql, keys);
        }
        return dead;
    }

    private static List<Dead> find(Sql sql, List<UUID> ids) throws SQLException {
        return sql.query(DEAD, row -> Dead.read(sql, row), ids);
    }
}

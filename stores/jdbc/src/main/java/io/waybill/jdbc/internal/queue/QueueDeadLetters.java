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

/** Replays and discards dead letters of the queue engine. */
public final class QueueDeadLetters implements JdbcDeadLetters.Repair {
    @Override
    public void lock(Sql sql, List<UUID> ids) throws SQLException {
        sql.exists(QueueStatements.of(sql).lockLanesOf(), ids);
    }

    /**
     * Of several dead letters of one key, the first one becomes due and the others are parked behind it, as if it had failed once
     * more. They are therefore sent in order, whatever the outcome of the first one is. Later events of the key need no change,
     * because each claim checks whether an earlier event of the key is held.
     */
    @Override
    public List<Dead> replay(Sql sql, List<UUID> ids) throws SQLException {
        List<Dead> dead = find(sql, ids);
        Set<String> keys = new HashSet<>();
        List<UUID> first = new ArrayList<>();
        List<UUID> others = new ArrayList<>();
        dead.forEach(letter -> (keys.add(letter.key()) ? first : others).add(letter.id()));
        if (!first.isEmpty()) {
            sql.update(QueueStatements.of(sql).replay, "PENDING", true, first);
        }
        if (!others.isEmpty()) {
            sql.update(QueueStatements.of(sql).replay, "PARKED", false, others);
        }
        return dead;
    }

    @Override
    public List<Dead> discard(Sql sql, List<UUID> ids) throws SQLException {
        List<Dead> dead = find(sql, ids);
        if (!dead.isEmpty()) {
            sql.update(
                    QueueStatements.of(sql).discard, dead.stream().map(Dead::id).toList());
            Set<String> keys = new HashSet<>();
            dead.forEach(letter -> keys.add(letter.key()));
            ParkedEvents.free(sql, keys);
        }
        return dead;
    }

    private static List<Dead> find(Sql sql, List<UUID> ids) throws SQLException {
        return sql.query(QueueStatements.of(sql).dead, row -> Dead.read(sql, row), ids);
    }
}

package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.admin.PausedEvents;
import io.waybill.jdbc.internal.admin.Repair;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Replays and discards dead letters of the queue engine. */
public final class QueueDeadLetters implements Repair {
    @Override
    public List<Held> held(Sql sql, String key, int limit) throws SQLException {
        return sql.query(
                QueueStatements.of(sql).heldOfKey(limit),
                row -> {
                    List<Held> held = new ArrayList<>();
                    while (row.next()) {
                        held.add(new Held(sql.dialect().uuid(row, 1), row.getString(2)));
                    }
                    return held;
                },
                key);
    }

    @Override
    public List<Changed> retryNow(Sql sql, List<UUID> ids) throws SQLException {
        List<Changed> waiting = sql.query(QueueStatements.of(sql).retries, row -> Changed.read(sql, row), ids);
        if (!waiting.isEmpty()) {
            sql.update(
                    QueueStatements.of(sql).makeParkedDue,
                    waiting.stream().map(Changed::id).toList());
        }
        return waiting;
    }

    @Override
    public void discardFirst(Sql sql, UUID id, String key) throws SQLException {
        sql.update(QueueStatements.of(sql).discard, List.of(id));
        ParkedEvents.free(sql, Set.of(key));
    }

    @Override
    public void unblock(Sql sql, UUID id, String key) throws SQLException {
        sql.update(QueueStatements.of(sql).unblock, id);
        ParkedEvents.free(sql, Set.of(key));
    }

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
    public List<Changed> replay(Sql sql, List<UUID> ids) throws SQLException {
        List<Changed> dead = find(sql, ids);
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
    public List<Changed> discard(Sql sql, List<UUID> ids) throws SQLException {
        List<Changed> dead = find(sql, ids);
        if (!dead.isEmpty()) {
            sql.update(
                    QueueStatements.of(sql).discard,
                    dead.stream().map(Changed::id).toList());
            Set<String> keys = new HashSet<>();
            dead.forEach(letter -> keys.add(letter.key()));
            ParkedEvents.free(sql, keys);
        }
        return dead;
    }

    /**
     * Makes events due that a pause has held. Each of them is the first held event of its key, so the keys stay in order.
     *
     * <p>Looks without a lock first. There is usually no such event, and a relay that is frozen with a lock on a lane keeps the lane from
     * other relays where the database cannot end its transaction (H2).
     */
    static int wakeHeld(Sql sql, int lane, Collection<String> reasons, int limit) throws SQLException {
        if (heldByPause(sql, lane, reasons, limit).isEmpty()) {
            return 0;
        }
        sql.exists("SELECT lane FROM outbox_claims WHERE lane = ? FOR UPDATE", lane);
        List<UUID> ids = heldByPause(sql, lane, reasons, limit);
        return ids.isEmpty() ? 0 : sql.update(QueueStatements.of(sql).makeParkedDue, ids);
    }

    private static List<UUID> heldByPause(Sql sql, int lane, Collection<String> reasons, int limit)
            throws SQLException {
        List<Object> values = new ArrayList<>(List.of(lane));
        values.addAll(PausedEvents.values(reasons));
        values.add(limit);
        return sql.query(
                QueueStatements.of(sql).heldByPause,
                row -> {
                    List<UUID> found = new ArrayList<>();
                    while (row.next()) {
                        found.add(sql.dialect().uuid(row, 1));
                    }
                    return found;
                },
                values.toArray());
    }

    private static List<Changed> find(Sql sql, List<UUID> ids) throws SQLException {
        return sql.query(QueueStatements.of(sql).dead, row -> Changed.read(sql, row), ids);
    }
}

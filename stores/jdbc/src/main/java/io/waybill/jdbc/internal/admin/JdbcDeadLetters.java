package io.waybill.jdbc.internal.admin;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.StoreException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Replays and discards dead letters.
 *
 * <p>Every change locks the lanes first. This rules out the following race: a relay finds that a dead letter blocks a key, and parks
 * the next event of the key. At the same time an operator discards the dead letter and frees the parked events, but does not see
 * that event, because the relay has not committed. The event would stay parked forever.
 */
public final class JdbcDeadLetters implements DeadLetters {
    private static final String AUDIT = "INSERT INTO outbox_audit (actor, action, reason, events) VALUES (?, ?, ?, ?)";

    private static final String AUDIT_EVENT = "INSERT INTO outbox_audit_events (audit_id, event_id) VALUES (?, ?)";

    private static final String SET_TOPIC = "UPDATE outbox_events SET topic = ? WHERE id = ANY (?)";

    private final Transactions database;
    private final JdbcView view;
    private final Repair repair;

    /** A dead letter that was replayed or discarded. */
    public record Dead(UUID id, String key, long seq) {
        public static List<Dead> read(Sql sql, ResultSet row) throws SQLException {
            List<Dead> dead = new ArrayList<>();
            while (row.next()) {
                dead.add(new Dead(sql.dialect().uuid(row, 1), row.getString(2), row.getLong(3)));
            }
            return dead;
        }
    }

    /** The changes of an engine's tables. Events that are not dead letters stay unchanged. */
    public interface Repair {
        /** Locks the lanes of these events against relays until the transaction ends. */
        void lock(Sql sql, List<UUID> ids) throws SQLException;

        /** Makes dead letters pending again. They keep the order of their keys. */
        List<Dead> replay(Sql sql, List<UUID> ids) throws SQLException;

        /** Discards dead letters and frees the events that are parked behind them. */
        List<Dead> discard(Sql sql, List<UUID> ids) throws SQLException;
    }

    public JdbcDeadLetters(Transactions database, JdbcView view, Repair repair) {
        this.database = database;
        this.view = view;
        this.repair = repair;
    }

    @Override
    public List<UUID> matching(EventFilter filter, int limit) {
        return view.events(filter.state(EventState.DEAD_LETTER), Math.min(limit, LARGEST_BULK)).stream()
                .map(dead -> dead.event().id())
                .toList();
    }

    @Override
    public List<UUID> replay(List<UUID> ids, Decision decision) {
        return change("replay", ids, decision, repair::replay);
    }

    @Override
    public List<UUID> replayTo(String topic, List<UUID> ids, Decision decision) {
        // The builder of events validates the topic.
        String checked =
                Event.builder("replay", "replay", "replay").topic(topic).build().destination();
        Decision audited = new Decision(decision.actor(), decision.reason() + " (topic set to " + checked + ")");
        return change("replay", ids, audited, (sql, chosen) -> {
            List<Dead> dead = repair.replay(sql, chosen);
            if (!dead.isEmpty()) {
                setTopic(sql, checked, dead.stream().map(Dead::id).toList());
            }
            return dead;
        });
    }

    private static void setTopic(Sql sql, String topic, List<UUID> ids) throws SQLException {
        try {
            sql.update(SET_TOPIC, topic, ids);
        } catch (SQLException e) {
            if (SqlState.of(e).equals(SqlState.INSUFFICIENT_PRIVILEGE)) {
                throw new StoreException(
                        "Cannot correct the topic: this user has no UPDATE privilege on the column topic of outbox_events. GRANT"
                                + " UPDATE (topic) ON outbox_events to this user, or connect as the owner of the tables."
                                + " Nothing was changed.",
                        e);
            }
            throw e;
        }
    }

    @Override
    public List<UUID> discard(List<UUID> ids, Decision decision) {
        return change("discard", ids, decision, repair::discard);
    }

    @FunctionalInterface
    private interface Change {
        List<Dead> make(Sql sql, List<UUID> ids) throws SQLException;
    }

    private List<UUID> change(String action, List<UUID> ids, Decision decision, Change change) {
        if (ids.size() > LARGEST_BULK) {
            throw new WaybillException("Cannot " + action + " " + ids.size() + " dead letters at once; at most "
                    + LARGEST_BULK + " are allowed. Split the list.");
        }
        if (ids.isEmpty()) {
            return List.of();
        }
        return database.transaction(action + " dead letters", connection -> {
            Sql sql = Sql.on(connection);
            sql.dialect().refuseHiddenRows(connection);
            repair.lock(sql, ids);
            List<UUID> changed = change.make(sql, ids).stream().map(Dead::id).toList();
            if (!changed.isEmpty()) {
                AuditRows.record(
                        sql, AUDIT, AUDIT_EVENT, changed, decision.actor(), action, decision.reason(), changed.size());
            }
            return changed;
        });
    }
}

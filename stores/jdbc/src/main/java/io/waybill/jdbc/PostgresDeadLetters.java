package io.waybill.jdbc;

import io.waybill.WaybillException;
import io.waybill.operate.DeadLetters;
import io.waybill.operate.EventFilter;
import io.waybill.operate.EventState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Replays and discards dead letters.
 *
 * <p>Takes the lanes first, for the moment of the change. Otherwise a relay could find a key blocked and park the key's next
 * event, while an operator discards what blocks it and frees the parked events, not seeing that one: nobody would ever free
 * it.
 */
final class PostgresDeadLetters implements DeadLetters {
    private static final String AUDIT =
            "INSERT INTO outbox_audit (actor, action, reason, events) VALUES (?, ?, ?, ?) RETURNING id";

    private static final String AUDIT_EVENTS =
            "INSERT INTO outbox_audit_events (audit_id, event_id) SELECT ?, unnest(?::uuid[])";

    private final Database database;
    private final PostgresView view;
    private final Repair repair;

    /** How an engine does it. */
    interface Repair {
        /** Keeps relays from the lanes of these events until the transaction ends. */
        String lock();

        /** Makes dead letters pending; returns their ids, keys and positions. */
        String replay();

        /** Drops dead letters; returns their ids, keys and positions. */
        String discard();

        /** @param keys the keys of replayed events, each with the position of the first of them */
        void replayed(Connection connection, Map<String, Long> keys) throws SQLException;

        /** Lets the events behind discarded ones go on. */
        void discarded(Connection connection, Set<String> keys) throws SQLException;
    }

    PostgresDeadLetters(Database database, PostgresView view, Repair repair) {
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
        return change("replay", repair.replay(), ids, decision, repair::replayed);
    }

    @Override
    public List<UUID> discard(List<UUID> ids, Decision decision) {
        return change("discard", repair.discard(), ids, decision, (c, keys) -> repair.discarded(c, keys.keySet()));
    }

    @FunctionalInterface
    private interface Consequence {
        void of(Connection connection, Map<String, Long> keys) throws SQLException;
    }

    private List<UUID> change(String action, String sql, List<UUID> ids, Decision decision, Consequence consequence) {
        if (ids.size() > LARGEST_BULK) {
            throw new WaybillException("Cannot " + action + " " + ids.size() + " dead letters at once, at most "
                    + LARGEST_BULK + ". Do it in parts.");
        }
        return database.transaction(action + " dead letters", connection -> {
            try (PreparedStatement lock = connection.prepareStatement(repair.lock())) {
                lock.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
                lock.execute();
            }
            List<UUID> changed = new ArrayList<>();
            Map<String, Long> keys = new LinkedHashMap<>();
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                update.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
                try (ResultSet row = update.executeQuery()) {
                    while (row.next()) {
                        changed.add(row.getObject(1, UUID.class));
                        keys.merge(row.getString(2), row.getLong(3), Math::min);
                    }
                }
            }
            if (!changed.isEmpty()) {
                consequence.of(connection, keys);
                audit(connection, action, decision, changed);
            }
            return List.copyOf(changed);
        });
    }

    private static void audit(Connection connection, String action, Decision decision, List<UUID> changed)
            throws SQLException {
        long id;
        try (PreparedStatement insert = connection.prepareStatement(AUDIT)) {
            insert.setString(1, decision.actor());
            insert.setString(2, action);
            insert.setString(3, decision.reason());
            insert.setInt(4, changed.size());
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                id = row.getLong(1);
            }
        }
        try (PreparedStatement insert = connection.prepareStatement(AUDIT_EVENTS)) {
            insert.setLong(1, id);
            insert.setArray(2, connection.createArrayOf("uuid", changed.toArray()));
            insert.executeUpdate();
        }
    }
}

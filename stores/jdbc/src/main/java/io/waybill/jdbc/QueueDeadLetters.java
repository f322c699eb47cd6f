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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Replays and discards dead letters of the queue engine. */
final class QueueDeadLetters implements DeadLetters {
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
            FROM chosen c WHERE e.id = c.id RETURNING e.id, e.aggregate_id""";

    private static final String DISCARD = """
            UPDATE outbox_events e
            SET state = 'DISCARDED', processed_at = now(), dead_at = NULL, next_attempt_at = NULL
            WHERE id = ANY (?) AND dead_at IS NOT NULL AND state = 'DEAD_LETTER' RETURNING e.id, e.aggregate_id""";

    /**
     * Serialises with the claims of these lanes. Otherwise a claim could park an event behind a dead letter in the same moment
     * in which that one is discarded: the discard would not see the parked event, and nothing would ever free it.
     */
    private static final String LOCK_LANES = """
            SELECT 1 FROM outbox_lanes
            WHERE lane IN (SELECT outbox_lane(aggregate_id) FROM outbox_events WHERE id = ANY (?))
            ORDER BY lane FOR UPDATE""";

    private static final String AUDIT =
            "INSERT INTO outbox_audit (actor, action, reason, events) VALUES (?, ?, ?, ?) RETURNING id";

    private static final String AUDIT_EVENTS =
            "INSERT INTO outbox_audit_events (audit_id, event_id) SELECT ?, unnest(?::uuid[])";

    private final Database database;
    private final QueueView view;

    QueueDeadLetters(Database database, QueueView view) {
        this.database = database;
        this.view = view;
    }

    @Override
    public List<UUID> matching(EventFilter filter, int limit) {
        return view.events(filter.state(EventState.DEAD_LETTER), Math.min(limit, LARGEST_BULK)).stream()
                .map(dead -> dead.event().id())
                .toList();
    }

    @Override
    public List<UUID> replay(List<UUID> ids, Decision decision) {
        return change("replay", REPLAY, ids, decision, false);
    }

    @Override
    public List<UUID> discard(List<UUID> ids, Decision decision) {
        return change("discard", DISCARD, ids, decision, true);
    }

    private List<UUID> change(String action, String sql, List<UUID> ids, Decision decision, boolean frees) {
        if (ids.size() > LARGEST_BULK) {
            throw new WaybillException("Cannot " + action + " " + ids.size() + " dead letters at once, at most "
                    + LARGEST_BULK + ". Do it in parts.");
        }
        return database.transaction(action + " dead letters", connection -> {
            List<UUID> changed = new ArrayList<>();
            Set<String> keys = new LinkedHashSet<>();
            try (PreparedStatement lock = connection.prepareStatement(LOCK_LANES)) {
                lock.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
                lock.execute();
            }
            try (PreparedStatement update = connection.prepareStatement(sql)) {
                update.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
                try (ResultSet row = update.executeQuery()) {
                    while (row.next()) {
                        changed.add(row.getObject(1, UUID.class));
                        keys.add(row.getString(2));
                    }
                }
            }
            if (!changed.isEmpty()) {
                if (frees) {
                    QueueSettlement.unpark(connection, keys);
                }
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

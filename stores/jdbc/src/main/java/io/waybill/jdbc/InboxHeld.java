package io.waybill.jdbc;

import io.waybill.Event;
import io.waybill.inbox.Held;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Parking;
import io.waybill.inbox.Received;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The table of events that wait. An entity's first one (RETRY, or PARKED once it is woken) has a time; those behind it are parked
 * at infinity, so that looking for due events costs the same however many wait.
 *
 * <p>The race that this must rule out: a consumer sees that event 1 waits and parks event 2 behind it, while event 1 is being
 * finished and wakes its successor, not seeing event 2, which is not committed yet: nobody would ever wake event 2. So whoever
 * parks locks the entity's first row (SHARE), and whoever finishes deletes that row before it looks for a successor: the delete
 * waits for the one who parks, or makes him find that there is nothing left to wait for.
 */
final class InboxHeld {
    private static final String COLUMNS = "consumer_group, event_id, event_type, entity_id, entity_version, ";
    private static final String INSERT = "INSERT INTO inbox_held (" + COLUMNS + InboxRows.MESSAGE
            + ", state, next_attempt_at, attempts, last_error, patience_ends)";
    private static final String VALUES =
            "?, ?::uuid, ?, ?, ?::bigint, ?, ?::integer, ?::bigint, ?::text, ?::json, ?::bytea";

    private static final String PARK =
            INSERT + " VALUES (" + VALUES + ", 'PARKED', 'infinity', 0, NULL, NULL) ON CONFLICT DO NOTHING";

    private static final String AWAIT = INSERT + " SELECT " + VALUES
            + ", 'GAP', until, 0, NULL, until FROM (SELECT clock_timestamp() + ? * interval '1 second' AS until) t"
            + " ON CONFLICT (consumer_group, event_id) DO UPDATE SET state = 'GAP', entity_version = excluded.entity_version, locked_until = NULL,"
            + " patience_ends = coalesce(inbox_held.patience_ends, excluded.patience_ends),"
            + " next_attempt_at = coalesce(inbox_held.patience_ends, excluded.patience_ends)";

    private static final String RETRY = INSERT + " SELECT " + VALUES
            + ", 'RETRY', clock_timestamp() + ? * interval '1 second', 1, ?, NULL"
            + " WHERE NOT EXISTS (SELECT 1 FROM processed_events WHERE consumer_group = ? AND event_id = ?)"
            + " ON CONFLICT (consumer_group, event_id) DO UPDATE SET state = 'RETRY', attempts = inbox_held.attempts + 1,"
            + " next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error";

    private static final String POSTPONE = """
            UPDATE inbox_held SET next_attempt_at = clock_timestamp() + ? * interval '1 second', last_error = ?,
                   state = CASE WHEN ? THEN 'RETRY' ELSE state END, attempts = attempts + ?, locked_until = NULL
            WHERE consumer_group = ? AND event_id = ? AND attempts = ?""";

    private static final String LOCK_HEAD = """
            SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP'
            ORDER BY position LIMIT 1 FOR SHARE""";

    private static final String ANY =
            "SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP' LIMIT 1";

    private static final String WAKE_HEAD = """
            UPDATE inbox_held h SET next_attempt_at = clock_timestamp()
            FROM (SELECT event_id FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP'
                  ORDER BY position LIMIT 1) head
            WHERE h.consumer_group = ? AND h.event_id = head.event_id AND h.next_attempt_at = 'infinity'""";

    private static final String CLAIM = """
            UPDATE inbox_held h SET locked_until = clock_timestamp() + ? * interval '1 second'
            FROM (SELECT event_id FROM inbox_held d
                  WHERE consumer_group = ? AND next_attempt_at <= clock_timestamp() AND next_attempt_at < 'infinity'
                    AND (locked_until IS NULL OR locked_until <= clock_timestamp())
                    AND NOT (state = 'GAP' AND EXISTS (
                        SELECT 1 FROM inbox_held r
                        WHERE r.consumer_group = d.consumer_group AND r.entity_id = d.entity_id AND r.state <> 'GAP'))
                  ORDER BY next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED) due
            WHERE h.consumer_group = ? AND h.event_id = due.event_id
            RETURNING h.event_id, h.attempts, coalesce(h.patience_ends <= clock_timestamp(), false),
            """ + InboxRows.MESSAGE_OF_H;

    private static Object[] parameters(Object[] first, Object... more) {
        Object[] all = new Object[first.length + more.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return all;
    }

    @SuppressWarnings("NullAway") // an event may have no version, a message no key
    private static Object[] row(String group, Event event, Received message) {
        return InboxRows.with(
                message, group, event.id(), event.type(), InboxStore.entity(event), InboxTables.version(event));
    }

    Parking park(Connection connection, String group, Event event, Received message) {
        String what = "park event " + event;
        Optional<String> own = InboxStatement.query(
                connection,
                what,
                "SELECT state FROM inbox_held WHERE consumer_group = ? AND event_id = ?",
                row -> row.next() ? Optional.of(row.getString(1)) : Optional.empty(),
                group,
                event.id());
        if (own.isPresent()) {
            return own.get().equals("RETRY") ? Parking.RETRYING : Parking.PARKED_BEFORE;
        }
        if (InboxStatement.exists(
                connection,
                what,
                "SELECT 1 FROM processed_events WHERE consumer_group = ? AND event_id = ?",
                group,
                event.id())) {
            return Parking.DUPLICATE;
        }
        if (!lockHead(connection, group, InboxStore.entity(event))) {
            return Parking.FREE;
        }
        InboxStatement.update(connection, what, PARK, row(group, event, message));
        return Parking.PARKED;
    }

    /** Locks the first event of the entity that waits; false when none does. */
    boolean lockHead(Connection connection, String group, String entity) {
        String what = "see what waits of " + entity;
        while (!InboxStatement.exists(connection, what, LOCK_HEAD, group, entity)) {
            // The row it found was deleted while it waited for the lock; there may be others.
            if (!InboxStatement.exists(connection, what, ANY, group, entity)) {
                return false;
            }
        }
        return true;
    }

    void awaitPredecessor(Connection connection, String group, Event event, Received message, Duration patience) {
        String what = "keep event " + event + " until its predecessor comes";
        InboxStatement.update(connection, what, AWAIT, parameters(row(group, event, message), patience));
        wakeHead(connection, group, InboxStore.entity(event));
    }

    void wakeSuccessor(Connection connection, String group, String entity, long version) {
        InboxStatement.update(
                connection,
                "wake the successor in " + entity,
                "UPDATE inbox_held SET next_attempt_at = clock_timestamp()"
                        + " WHERE consumer_group = ? AND entity_id = ? AND state = 'GAP' AND entity_version = ?",
                group,
                entity,
                version);
    }

    boolean scheduleRetry(
            Connection connection, String group, Event event, Received message, Duration delay, String error) {
        return InboxStatement.update(
                        connection,
                        "record a failure of " + event,
                        RETRY,
                        parameters(row(group, event, message), delay, error, group, event.id()))
                == 1;
    }

    void postpone(Connection connection, String group, Held held, Duration delay, String error, boolean counted) {
        InboxStatement.update(
                connection,
                "record a failure of event " + held.id(),
                POSTPONE,
                delay,
                error,
                counted,
                counted ? 1 : 0,
                group,
                held.id(),
                held.attempts());
    }

    void release(Connection connection, String group, UUID id) {
        InboxStatement.query(
                        connection,
                        "release event " + id,
                        "DELETE FROM inbox_held WHERE consumer_group = ? AND event_id = ? RETURNING entity_id",
                        row -> row.next() ? Optional.of(row.getString(1)) : Optional.<String>empty(),
                        group,
                        id)
                .ifPresent(entity -> wakeHead(connection, group, entity));
    }

    void wakeHead(Connection connection, String group, String entity) {
        InboxStatement.update(connection, "wake what waits of " + entity, WAKE_HEAD, group, entity, group);
    }

    /** Gives dead letters back: parked in the order given, and the first of each entity woken unless others are before it. */
    void replay(Connection connection, String group, Collection<String> entities, Runnable insert) {
        entities.forEach(entity -> lockHead(connection, group, entity));
        insert.run();
        entities.forEach(entity -> wakeHead(connection, group, entity));
    }

    List<Held> claim(Connection connection, String group, int limit, Duration lease) {
        return InboxStatement.query(
                connection,
                "look for due events",
                CLAIM,
                row -> {
                    List<Held> due = new ArrayList<>();
                    while (row.next()) {
                        due.add(new Held(
                                row.getObject(1, UUID.class),
                                InboxRows.message(row, 4),
                                row.getInt(2),
                                row.getBoolean(3)));
                    }
                    return due;
                },
                lease,
                group,
                limit,
                group);
    }
}

package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Parking;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The table of events that wait. An entity's first one (s -> s.retry, or PARKED once it is woken) has a time; those behind it are parked
 * at infinity, so that looking for due events costs the same however many wait.
 *
 * <p>The race that this must rule out: a consumer sees that event 1 waits and parks event 2 behind it, while event 1 is being
 * finished and wakes its successor, not seeing event 2, which is not committed yet: nobody would ever wake event 2. So whoever
 * parks locks the entity's first row (SHARE), and whoever finishes deletes that row before it looks for a successor: the delete
 * waits for the one who parks, or makes him find that there is nothing left to wait for.
 */
final class HeldEventTable {
    /** More events of one entity than are finished between two statements. */
    private static final int MOST_HEADS = 50;

    private static final String ANY =
            "SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP'"
                    + " ORDER BY position LIMIT 1";

    private static Object[] parameters(Object[] first, Object... more) {
        Object[] all = new Object[first.length + more.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return all;
    }

    @SuppressWarnings("NullAway") // an event may have no version, a message no key
    private static Object[] row(String group, Event event, ReceivedMessage message) {
        return MessageRows.with(
                message,
                group,
                event.id(),
                event.type(),
                InboxStore.qualifiedKey(event),
                JdbcInboxStore.version(event));
    }

    Parking park(Connection connection, String group, Event event, ReceivedMessage message) {
        String what = "park event " + event;
        Optional<String> own = InboxStatement.query(
                connection,
                what,
                "SELECT state FROM inbox_held WHERE consumer_group = ? AND event_id = ?",
                (dialect, row) -> row.next() ? Optional.of(row.getString(1)) : Optional.empty(),
                group,
                event.id());
        if (own.isPresent()) {
            return own.get().equals("RETRY") ? Parking.RETRYING : Parking.ALREADY_PARKED;
        }
        if (InboxStatement.exists(
                connection,
                what,
                "SELECT 1 FROM processed_events WHERE consumer_group = ? AND event_id = ?",
                group,
                event.id())) {
            return Parking.DUPLICATE;
        }
        if (!lockHead(connection, group, InboxStore.qualifiedKey(event))) {
            return Parking.FREE;
        }
        InboxStatement.insert(connection, what, s -> s.park, row(group, event, message));
        return Parking.PARKED;
    }

    /** Locks the first event of the entity that waits; false when none does. */
    boolean lockHead(Connection connection, String group, String entity) {
        String what = "read held events of " + entity;
        for (int attempt = 1; attempt <= MOST_HEADS; attempt++) {
            if (InboxStatement.exists(connection, what, s -> s.lockHead, group, entity)) {
                return true;
            }
            // The row it found was deleted while it waited for the lock; there may be others.
            if (!InboxStatement.exists(connection, what, ANY, group, entity)) {
                return false;
            }
        }
        throw new StoreException(
                "Cannot " + what
                        + ": this transaction still reads events that are gone. Run it in READ COMMITTED isolation;"
                        + " REPEATABLE READ, the default of MariaDB and MySQL, shows an old state.",
                null);
    }

    void awaitPredecessor(
            Connection connection, String group, Event event, ReceivedMessage message, Duration patience) {
        String what = "keep event " + event + " until its predecessor comes";
        boolean awaited = InboxStatement.insert(
                connection, what, s -> s.await, parameters(row(group, event, message), patience, patience));
        if (!awaited) {
            InboxStatement.update(
                    connection,
                    what,
                    s -> s.awaitAgain,
                    JdbcInboxStore.version(event),
                    patience,
                    patience,
                    group,
                    event.id());
        }
        wakeHead(connection, group, InboxStore.qualifiedKey(event));
    }

    void wakeSuccessor(Connection connection, String group, String entity, long version) {
        InboxStatement.update(
                connection, "wake the successor in " + entity, s -> s.wakeSuccessor, group, entity, version);
    }

    boolean scheduleRetry(
            Connection connection,
            String group,
            Event event,
            ReceivedMessage message,
            Duration delay,
            String error,
            boolean counted) {
        String what = "record a failure of " + event;
        int attempt = counted ? 1 : 0;
        return InboxStatement.insert(
                        connection,
                        what,
                        s -> s.retry,
                        parameters(row(group, event, message), delay, attempt, error, group, event.id()))
                || InboxStatement.update(
                                connection,
                                what,
                                s -> s.retryAgain,
                                attempt,
                                delay,
                                error,
                                group,
                                event.id(),
                                group,
                                event.id())
                        == 1;
    }

    void postpone(
            Connection connection,
            String group,
            HeldEvent held,
            Duration delay,
            @Nullable String error,
            boolean counted) {
        InboxStatement.update(
                connection,
                "record a failure of event " + held.id(),
                s -> s.postpone,
                delay,
                error,
                counted,
                counted ? 1 : 0,
                group,
                held.id(),
                held.attempts());
    }

    void release(Connection connection, String group, UUID id) {
        String what = "release event " + id;
        Optional<String> held = InboxStatement.query(
                connection,
                what,
                "SELECT entity_id FROM inbox_held WHERE consumer_group = ? AND event_id = ? FOR UPDATE",
                (dialect, row) -> row.next() ? Optional.of(row.getString(1)) : Optional.empty(),
                group,
                id);
        if (held.isPresent()) {
            InboxStatement.update(
                    connection, what, "DELETE FROM inbox_held WHERE consumer_group = ? AND event_id = ?", group, id);
            wakeHead(connection, group, held.get());
        }
    }

    void wakeHead(Connection connection, String group, String entity) {
        InboxStatement.update(connection, "wake held events of " + entity, s -> s.wakeHead, group, group, entity);
    }

    /** Gives dead letters back: parked in the order given, and the first of each entity woken unless others are before it. */
    void replay(Connection connection, String group, Collection<String> entities, Runnable insert) {
        entities.forEach(entity -> lockHead(connection, group, entity));
        insert.run();
        entities.forEach(entity -> wakeHead(connection, group, entity));
    }

    List<HeldEvent> claim(Connection connection, String group, int limit, Duration lease) {
        String what = "look for due events";
        List<HeldEvent> found = InboxStatement.query(
                connection,
                what,
                s -> s.due,
                (dialect, row) -> {
                    List<HeldEvent> due = new ArrayList<>();
                    while (row.next()) {
                        due.add(new HeldEvent(
                                dialect.uuid(row, 1), MessageRows.message(row, 4), row.getInt(2), row.getBoolean(3)));
                    }
                    return due;
                },
                group,
                lease,
                limit);
        if (!found.isEmpty()) {
            InboxStatement.update(
                    connection,
                    what,
                    s -> s.claim,
                    lease,
                    group,
                    found.stream().map(HeldEvent::id).toList());
        }
        return found;
    }
}

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table {@code inbox_held}. The head of a key is its first held event: it waits for a retry, or it was parked and
 * is now due. The head has a due time. The events behind it are parked until infinity, so that the search for due
 * events does not get slower with their number.
 *
 * <p>Locks rule out the following race. A consumer finds that event 1 is held, and parks event 2 behind it. At the same
 * time another consumer finishes event 1 and makes its successor due, but does not see event 2, which is not committed.
 * Event 2 would never become due. Therefore a consumer that parks an event locks the head in SHARE mode, and a consumer
 * that finishes an event deletes the head before it looks for a successor. Either the delete waits until event 2 is
 * committed, or the consumer that parks finds that the key is no longer held.
 */
final class InboxHeldTable {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcInbox.class);

    /** The clocks of two servers may differ by this much after a failover. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    /** How often a transaction tries to lock the head of a key while other consumers delete heads. */
    private static final int MAX_LOCK_ATTEMPTS = 50;

    private static final String HEAD =
            "SELECT 1 FROM inbox_held WHERE consumer_group = ? AND entity_id = ? AND state <> 'GAP'"
                    + " ORDER BY position LIMIT 1";

    private static Object[] parameters(Object[] first, Object... more) {
        Object[] all = new Object[first.length + more.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return all;
    }

    @SuppressWarnings("NullAway") // the version of an event and the key of a message may be null
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

    /** Locks the head of a key. Returns false if the key is not held. */
    boolean lockHead(Connection connection, String group, String key) {
        String what = "read held events of " + key;
        for (int attempt = 1; attempt <= MAX_LOCK_ATTEMPTS; attempt++) {
            if (InboxStatement.exists(connection, what, s -> s.lockHead, group, key)) {
                return true;
            }
            // Another consumer deleted the head while this transaction waited for the lock. The key may have a new
            // head.
            if (!InboxStatement.exists(connection, what, HEAD, group, key)) {
                return false;
            }
        }
        throw new StoreException(
                "Cannot " + what
                        + ": this transaction still reads events that other transactions have deleted. Run it in READ COMMITTED"
                        + " isolation. REPEATABLE READ, the default of MariaDB and MySQL, reads an old state.",
                null);
    }

    void awaitPredecessor(Connection connection, String group, Event event, ReceivedMessage message, Duration maxWait) {
        String what = "hold event " + event + " until its predecessor arrives";
        boolean inserted = InboxStatement.insert(
                connection, what, s -> s.await, parameters(row(group, event, message), maxWait, maxWait));
        if (!inserted) {
            InboxStatement.update(
                    connection,
                    what,
                    s -> s.awaitAgain,
                    JdbcInboxStore.version(event),
                    maxWait,
                    maxWait,
                    group,
                    event.id());
        }
        wakeHead(connection, group, InboxStore.qualifiedKey(event));
    }

    void wakeSuccessor(Connection connection, String group, String key, long version) {
        InboxStatement.update(
                connection,
                "make version " + version + " of " + key + " due",
                s -> s.wakeSuccessor,
                group,
                key,
                version);
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

    void wakeHead(Connection connection, String group, String key) {
        InboxStatement.update(
                connection, "make the first held event of " + key + " due", s -> s.wakeHead, group, group, key);
    }

    /**
     * Runs {@code insert}, which parks dead letters of these keys in order, and then makes the head of each key due. A
     * dead letter becomes due only if no other event of its key is held before it.
     */
    void replay(Connection connection, String group, Collection<String> keys, Runnable insert) {
        keys.forEach(key -> lockHead(connection, group, key));
        insert.run();
        keys.forEach(key -> wakeHead(connection, group, key));
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
        if (found.size() < limit) {
            undoClockStep(connection, group);
        }
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

    /**
     * Moves the times of held events back by as much as the database's clock was set back. Their times come from the
     * old clock, so the events would wait until the new clock reaches them. An event that was scheduled before the new
     * time keeps its times; it becomes due at most one delay after the step. Two consumers may do this at once: the
     * second one finds no time in the future.
     */
    private static void undoClockStep(Connection connection, String group) {
        String what = "look for a clock that was set back";
        Optional<Duration> step = InboxStatement.query(
                connection,
                what,
                s -> s.clockStep,
                (dialect, row) -> row.next()
                        ? Optional.of(Duration.ofMillis((long) Math.ceil(row.getDouble(1) * 1_000)))
                        : Optional.empty(),
                group,
                CLOCK_TOLERANCE);
        if (step.isPresent()) {
            Duration back = step.get();
            int events = InboxStatement.update(
                    connection, what, s -> s.undoClockStep, back, back, back, group, CLOCK_TOLERANCE);
            LOG.warn(
                    "The database's clock was set back by {} s or more; {} held events of group {} keep their delays",
                    back.toSeconds(),
                    events,
                    group);
        }
    }
}

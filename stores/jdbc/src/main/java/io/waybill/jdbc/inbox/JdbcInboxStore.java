package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stores versions and dead letters. {@link ProcessedMarks} stores the marks, {@link InboxHeldTable} the held events. */
final class JdbcInboxStore implements InboxStore<Connection> {
    private static final String ADVANCE =
            "UPDATE inbox_versions SET version = ? WHERE consumer_group = ? AND entity_id = ? AND version < ?";

    private static final String FIRST_VERSION =
            "INSERT INTO inbox_versions (consumer_group, entity_id, version) VALUES (?, ?, ?)";

    private static final String MARK_DEAD_LETTERED = """
            INSERT INTO processed_events (consumer_group, event_id, event_type, entity_id, outcome)
            VALUES (?, ?, ?, ?, 'DEAD_LETTERED')""";

    private final Transactions database;
    private final InboxHeldTable held = new InboxHeldTable();

    private final @Nullable ExistingProcessedTable processed;

    JdbcInboxStore(Transactions database, @Nullable ExistingProcessedTable processed) {
        this.database = database;
        this.processed = processed;
    }

    @Override
    public <R> R transaction(String what, Work<Connection, R> work) {
        return database.withoutRetry(what, work::in);
    }

    @Override
    public Admission admit(Connection connection, String group, Event event, boolean isHeld) {
        Admission own = isHeld
                ? ProcessedMarks.mark(connection, group, event)
                : ProcessedMarks.on(connection).admit(connection, group, event);
        return processed == null ? own : processed.admit(connection, group, event, own);
    }

    @Override
    public List<Admission> admitAll(Connection connection, String group, List<Event> events) {
        List<Admission> own = ProcessedMarks.on(connection).admitAll(connection, group, events);
        if (processed == null) {
            return own;
        }
        List<Admission> both = new ArrayList<>(own.size());
        for (int i = 0; i < own.size(); i++) {
            both.add(processed.admit(connection, group, events.get(i), own.get(i)));
        }
        return both;
    }

    static @Nullable Long version(Event event) {
        return event.aggregateVersion().isPresent() ? event.aggregateVersion().getAsLong() : null;
    }

    @Override
    public void markStale(Connection connection, String group, UUID id) {
        InboxStatement.update(
                connection,
                "mark event " + id + " as stale",
                "UPDATE processed_events SET outcome = 'STALE' WHERE consumer_group = ? AND event_id = ?",
                group,
                id);
    }

    @Override
    public void unmark(Connection connection, String group, UUID id) {
        InboxStatement.update(
                connection,
                "remove the mark of event " + id,
                "DELETE FROM processed_events WHERE consumer_group = ? AND event_id = ?",
                group,
                id);
        if (processed != null) {
            processed.unmark(connection, id);
        }
    }

    @Override
    public boolean advance(Connection connection, String group, String key, long version) {
        String what = "record version " + version + " of " + key;
        return InboxStatement.update(connection, what, ADVANCE, version, group, key, version) == 1
                || InboxStatement.insert(connection, what, FIRST_VERSION, group, key, version)
                // another consumer has inserted the row in the meantime
                || InboxStatement.update(connection, what, ADVANCE, version, group, key, version) == 1;
    }

    /** Inserts the key's row first if it is missing, so that there is a row to lock even for the first events of a key. */
    @Override
    public Sequence advanceStrictly(Connection connection, String group, String key, long version, boolean acceptGap) {
        String what = "record version " + version + " of " + key;
        InboxStatement.insert(connection, what, FIRST_VERSION, group, key, 0);
        long last = InboxStatement.query(
                connection,
                what,
                "SELECT version FROM inbox_versions WHERE consumer_group = ? AND entity_id = ? FOR UPDATE",
                (dialect, row) -> row.next() ? row.getLong(1) : 0L,
                group,
                key);
        if (version <= last) {
            return Sequence.STALE;
        }
        if (version > last + 1 && !acceptGap) {
            return Sequence.GAP;
        }
        InboxStatement.update(
                connection,
                what,
                "UPDATE inbox_versions SET version = ? WHERE consumer_group = ? AND entity_id = ?",
                version,
                group,
                key);
        held.wakeSuccessor(connection, group, key, version + 1);
        return Sequence.NEXT;
    }

    @Override
    public Parking park(Connection connection, String group, Event event, ReceivedMessage message) {
        return held.park(connection, group, event, message);
    }

    @Override
    public void awaitPredecessor(
            Connection connection, String group, Event event, ReceivedMessage message, Duration maxWait) {
        held.awaitPredecessor(connection, group, event, message, maxWait);
    }

    @Override
    public boolean scheduleRetry(
            Connection connection,
            String group,
            Event event,
            ReceivedMessage message,
            Duration delay,
            String error,
            boolean counted) {
        return held.scheduleRetry(connection, group, event, message, delay, error, counted);
    }

    @Override
    public void postpone(
            Connection connection,
            String group,
            HeldEvent event,
            Duration delay,
            @Nullable String error,
            boolean counted) {
        held.postpone(connection, group, event, delay, error, counted);
    }

    @Override
    public void release(Connection connection, String group, UUID id) {
        held.release(connection, group, id);
    }

    @Override
    public boolean recordDeadLetter(Connection connection, DeadLetter letter) {
        String what = "record dead letter " + letter.eventId();
        boolean marked = InboxStatement.insert(
                connection,
                what,
                MARK_DEAD_LETTERED,
                letter.group(),
                letter.eventId(),
                letter.eventType(),
                letter.qualifiedKey());
        if (!marked) {
            return false;
        }
        InboxStatement.update(
                connection,
                what,
                s -> s.insertLetter,
                MessageRows.with(
                        letter.message(),
                        letter.group(),
                        letter.eventId(),
                        letter.eventType(),
                        letter.qualifiedKey(),
                        letter.attempts(),
                        letter.errorClass(),
                        letter.error(),
                        letter.failedAt()));
        return true;
    }

    @Override
    public List<HeldEvent> claimDue(String group, int limit, Duration lease) {
        return database.transaction(
                "look for due events of group " + group, connection -> held.claim(connection, group, limit, lease));
    }

    @Override
    public int prune(String group, Duration age, int limit) {
        return database.transaction("remove old marks of group " + group, connection -> {
            InboxStatement.update(connection, "remove old effects", s -> s.pruneEffects, group, age, limit);
            return InboxStatement.update(connection, "remove old marks", s -> s.pruneMarks, group, age, limit);
        });
    }

    @Override
    public void showPause(String group, String consumer, Duration lasts, String reason, Duration valid) {
        PauseTable.show(database, group, consumer, lasts, reason, valid);
    }

    @Override
    public void endPause(String group, String consumer) {
        PauseTable.end(database, group, consumer);
    }

    @Override
    public void probe() {
        boolean valid = database.query("reach the inbox's database", connection -> connection.isValid(5));
        if (!valid) {
            throw new StoreException("The inbox's database does not answer. Check that it runs.", null);
        }
    }

    @Override
    public boolean isOutage(Throwable error) {
        return OutageErrors.isOutage(error);
    }

    @Override
    public boolean refusesData(Throwable error) {
        return SqlState.refusesData(error);
    }
}

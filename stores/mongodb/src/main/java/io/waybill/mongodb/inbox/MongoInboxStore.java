package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.client.ClientSession;
import io.waybill.Event;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/** Combines the collections of the inbox. */
final class MongoInboxStore implements InboxStore<ClientSession> {
    private final MongoTransactions database;
    private final ProcessedMarks marks;
    private final VersionDocuments versions;
    private final HeldEvents held;
    private final DueEvents due;
    private final DeadLetterDocuments letters;
    private final PauseDocuments pauses;
    private final EffectDocuments effects;

    MongoInboxStore(MongoTransactions database) {
        this.database = database;
        this.marks = new ProcessedMarks(database);
        this.versions = new VersionDocuments(database);
        this.held = new HeldEvents(database, marks);
        this.due = new DueEvents(database);
        this.letters = new DeadLetterDocuments(database);
        this.pauses = new PauseDocuments(database);
        this.effects = new EffectDocuments(database);
    }

    /** Runs the work again after a conflict, so a handler may run more than once; only its last run commits. */
    @Override
    public <R> R transaction(String what, Work<ClientSession, R> work) {
        return database.run(what, work::in);
    }

    @Override
    public Admission admit(ClientSession session, String group, Event event, boolean isHeld) {
        return isHeld
                ? mark(session, group, List.of(event), Set.of()).get(0)
                : admitAll(session, group, List.of(event)).get(0);
    }

    @Override
    public List<Admission> admitAll(ClientSession session, String group, List<Event> events) {
        Set<String> heldKeys = held.heldKeys(
                session, group, events.stream().map(InboxStore::qualifiedKey).toList());
        return mark(session, group, events, heldKeys);
    }

    private List<Admission> mark(ClientSession session, String group, List<Event> events, Set<String> heldKeys) {
        Set<UUID> marked =
                marks.existing(session, group, events.stream().map(Event::id).toList());
        List<Admission> admissions = new ArrayList<>(events.size());
        List<Event> admitted = new ArrayList<>();
        for (Event event : events) {
            if (heldKeys.contains(InboxStore.qualifiedKey(event))) {
                admissions.add(Admission.HELD);
            } else if (marked.add(event.id())) {
                admissions.add(Admission.ADMITTED);
                admitted.add(event);
            } else {
                admissions.add(Admission.DUPLICATE);
            }
        }
        if (!admitted.isEmpty()) {
            marks.insert(session, group, admitted);
        }
        return admissions;
    }

    @Override
    public void markStale(ClientSession session, String group, UUID id) {
        marks.setOutcome(session, group, List.of(id), "STALE");
    }

    @Override
    public void unmark(ClientSession session, String group, UUID id) {
        marks.delete(session, group, List.of(id));
    }

    @Override
    public boolean advance(ClientSession session, String group, String key, long version) {
        return versions.advance(session, group, key, version);
    }

    @Override
    public Sequence advanceStrictly(ClientSession session, String group, String key, long version, boolean acceptGap) {
        Sequence sequence = versions.advanceStrictly(session, group, key, version, acceptGap);
        if (sequence == Sequence.NEXT) {
            held.wakeSuccessor(session, group, key, version + 1);
        }
        return sequence;
    }

    @Override
    public Parking park(ClientSession session, String group, Event event, ReceivedMessage message) {
        return held.park(session, group, event, message);
    }

    @Override
    public void awaitPredecessor(
            ClientSession session, String group, Event event, ReceivedMessage message, Duration patience) {
        held.awaitPredecessor(session, group, event, message, patience);
    }

    @Override
    public boolean scheduleRetry(
            ClientSession session,
            String group,
            Event event,
            ReceivedMessage message,
            Duration delay,
            String error,
            boolean counted) {
        return held.scheduleRetry(session, group, event, message, delay, error, counted);
    }

    @Override
    public void postpone(
            ClientSession session,
            String group,
            HeldEvent event,
            Duration delay,
            @Nullable String error,
            boolean counted) {
        held.postpone(session, group, event, delay, error, counted);
    }

    @Override
    public void release(ClientSession session, String group, UUID id) {
        held.release(session, group, id);
    }

    @Override
    public boolean recordDeadLetter(ClientSession session, DeadLetter letter) {
        if (marks.exists(session, letter.group(), letter.eventId())) {
            return false;
        }
        marks.insert(session, letter);
        letters.insert(session, letter);
        return true;
    }

    @Override
    public List<HeldEvent> claimDue(String group, int limit, Duration lease) {
        return database.call("look for due events of group " + group, () -> due.claim(group, limit, lease));
    }

    @Override
    public int prune(String group, Duration age, int limit) {
        Date before = Date.from(database.now().minus(age));
        return database.call("remove old marks of group " + group, () -> {
            effects.prune(group, before, limit);
            return marks.prune(group, before, limit);
        });
    }

    @Override
    public void showPause(String group, String consumer, Duration lasts, String reason, Duration valid) {
        pauses.show(group, consumer, lasts, reason, valid);
    }

    @Override
    public void endPause(String group, String consumer) {
        pauses.end(group, consumer);
    }

    @Override
    public void probe() {
        database.call(
                "reach the inbox's database",
                () -> database.collection(Collections.PROCESSED)
                        .find(eq("_id", 0))
                        .into(new ArrayList<Document>()));
    }

    @Override
    public boolean isOutage(Throwable error) {
        return MongoErrors.isOutage(error);
    }

    @Override
    public boolean refusesData(Throwable error) {
        return MongoErrors.refusesData(error);
    }
}

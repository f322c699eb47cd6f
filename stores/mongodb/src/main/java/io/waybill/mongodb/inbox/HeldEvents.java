package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentDate;
import static com.mongodb.client.model.Updates.currentTimestamp;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.unset;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.Event;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Parking;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.ConflictException;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * The events that wait in the inbox. The head of a key is its first held event: it waits for a retry, or it was parked and is now due.
 * The events behind it have no due time, so that the search for due events does not get slower with their number.
 *
 * <p>Writes to the head rule out the following race. A consumer finds that event 1 is held, and parks event 2 behind it. At the same
 * time another consumer finishes event 1 and makes its successor due, but does not see event 2, which is not committed. Event 2 would
 * never become due. Therefore a consumer that parks an event writes the head, and a consumer that finishes an event deletes the head.
 * One of the two transactions fails and runs again.
 */
final class HeldEvents {
    private final MongoTransactions database;
    private final MongoCollection<Document> held;
    private final ProcessedMarks marks;

    HeldEvents(MongoTransactions database, ProcessedMarks marks) {
        this.database = database;
        this.held = database.collection(Collections.HELD);
        this.marks = marks;
    }

    private static Bson one(String group, UUID id) {
        return and(eq(InboxFields.GROUP, group), eq(InboxFields.EVENT_ID, id.toString()));
    }

    /** The held events of a key that hold back others. */
    static Bson ofKey(String group, String key) {
        return and(
                eq(InboxFields.GROUP, group), eq(InboxFields.ENTITY_ID, key), ne(InboxFields.STATE, InboxFields.GAP));
    }

    private static Date date(Instant time) {
        return Date.from(time);
    }

    /** Returns those of the keys behind which an event must wait. */
    Set<String> heldKeys(ClientSession session, String group, Collection<String> keys) {
        return held.distinct(
                        session,
                        InboxFields.ENTITY_ID,
                        and(
                                eq(InboxFields.GROUP, group),
                                in(InboxFields.ENTITY_ID, keys),
                                ne(InboxFields.STATE, InboxFields.GAP)),
                        String.class)
                .into(new HashSet<>());
    }

    private @Nullable Document head(ClientSession session, String group, String key) {
        return held.find(session, ofKey(group, key))
                .sort(ascending(InboxFields.POSITION))
                .limit(1)
                .first();
    }

    Parking park(ClientSession session, String group, Event event, ReceivedMessage message) {
        Document own = held.find(session, one(group, event.id())).first();
        if (own != null) {
            return own.getString(InboxFields.STATE).equals(InboxFields.RETRY)
                    ? Parking.RETRYING
                    : Parking.ALREADY_PARKED;
        }
        if (marks.exists(session, group, event.id())) {
            return Parking.DUPLICATE;
        }
        Document head = head(session, group, InboxStore.qualifiedKey(event));
        if (head == null) {
            return Parking.FREE;
        }
        held.updateOne(session, eq("_id", head.get("_id")), inc(InboxFields.TOUCHED, 1));
        insert(session, fields(group, event, message, InboxFields.PARKED));
        return Parking.PARKED;
    }

    private static Document fields(String group, Event event, ReceivedMessage message, String state) {
        return MessageDocuments.fields(message)
                .append(InboxFields.GROUP, group)
                .append(InboxFields.EVENT_ID, event.id().toString())
                .append(InboxFields.EVENT_TYPE, event.type())
                .append(InboxFields.ENTITY_ID, InboxStore.qualifiedKey(event))
                .append(
                        InboxFields.ENTITY_VERSION,
                        event.aggregateVersion().isPresent()
                                ? event.aggregateVersion().getAsLong()
                                : null)
                .append(InboxFields.STATE, state)
                .append(InboxFields.ATTEMPTS, 0);
    }

    private void insert(ClientSession session, Document fields) {
        try {
            held.updateOne(
                    session,
                    eq("_id", new ObjectId()),
                    combine(
                            new Document("$setOnInsert", fields),
                            currentDate(InboxFields.HELD_AT),
                            currentTimestamp(InboxFields.POSITION)),
                    new UpdateOptions().upsert(true));
        } catch (MongoException e) {
            if (MongoErrors.isDuplicateKey(e)) {
                throw new ConflictException("Another transaction has just kept the same event.", e);
            }
            throw e;
        }
    }

    /** Holds an event until its predecessor arrives or the time is over. */
    void awaitPredecessor(
            ClientSession session, String group, Event event, ReceivedMessage message, Duration patience) {
        Instant now = database.now();
        Document own = held.find(session, one(group, event.id())).first();
        if (own == null) {
            insert(
                    session,
                    fields(group, event, message, InboxFields.GAP)
                            .append(InboxFields.NEXT_ATTEMPT_AT, date(now.plus(patience)))
                            .append(InboxFields.PATIENCE_ENDS, date(now.plus(patience)))
                            .append(InboxFields.SCHEDULED_AT, date(now)));
        } else {
            Date end = own.getDate(InboxFields.PATIENCE_ENDS);
            Date deadline = end == null ? date(now.plus(patience)) : end;
            held.updateOne(
                    session,
                    eq("_id", own.get("_id")),
                    combine(
                            set(InboxFields.STATE, InboxFields.GAP),
                            set(InboxFields.NEXT_ATTEMPT_AT, deadline),
                            set(InboxFields.PATIENCE_ENDS, deadline),
                            set(InboxFields.SCHEDULED_AT, date(now)),
                            unset(InboxFields.LOCKED_UNTIL)));
        }
        wakeHead(session, group, InboxStore.qualifiedKey(event), now);
    }

    void wakeSuccessor(ClientSession session, String group, String key, long version) {
        Date now = date(database.now());
        held.updateMany(
                session,
                and(
                        eq(InboxFields.GROUP, group),
                        eq(InboxFields.ENTITY_ID, key),
                        eq(InboxFields.STATE, InboxFields.GAP),
                        eq(InboxFields.ENTITY_VERSION, version)),
                combine(set(InboxFields.NEXT_ATTEMPT_AT, now), set(InboxFields.SCHEDULED_AT, now)));
    }

    boolean scheduleRetry(
            ClientSession session,
            String group,
            Event event,
            ReceivedMessage message,
            Duration delay,
            String error,
            boolean counted) {
        if (marks.exists(session, group, event.id())) {
            return false;
        }
        Instant now = database.now();
        int attempt = counted ? 1 : 0;
        Bson schedule = combine(
                set(InboxFields.STATE, InboxFields.RETRY),
                set(InboxFields.NEXT_ATTEMPT_AT, date(now.plus(delay))),
                set(InboxFields.SCHEDULED_AT, date(now)),
                set(InboxFields.LAST_ERROR, error),
                inc(InboxFields.ATTEMPTS, attempt));
        if (held.updateOne(session, one(group, event.id()), schedule).getMatchedCount() == 0) {
            insert(
                    session,
                    fields(group, event, message, InboxFields.RETRY)
                            .append(InboxFields.NEXT_ATTEMPT_AT, date(now.plus(delay)))
                            .append(InboxFields.SCHEDULED_AT, date(now))
                            .append(InboxFields.LAST_ERROR, error)
                            .append(InboxFields.ATTEMPTS, attempt));
        }
        return true;
    }

    void postpone(
            ClientSession session,
            String group,
            HeldEvent event,
            Duration delay,
            @Nullable String error,
            boolean counted) {
        Instant now = database.now();
        List<Bson> changes = new ArrayList<>(List.of(
                set(InboxFields.NEXT_ATTEMPT_AT, date(now.plus(delay))),
                set(InboxFields.SCHEDULED_AT, date(now)),
                inc(InboxFields.ATTEMPTS, counted ? 1 : 0),
                unset(InboxFields.LOCKED_UNTIL)));
        if (error != null) {
            changes.add(set(InboxFields.LAST_ERROR, error));
        }
        if (counted) {
            changes.add(set(InboxFields.STATE, InboxFields.RETRY));
        }
        held.updateOne(
                session, and(one(group, event.id()), eq(InboxFields.ATTEMPTS, event.attempts())), combine(changes));
    }

    void release(ClientSession session, String group, UUID id) {
        Document released = held.findOneAndDelete(session, one(group, id));
        if (released != null) {
            wakeHead(session, group, released.getString(InboxFields.ENTITY_ID), database.now());
        }
    }

    private void wakeHead(ClientSession session, String group, String key, Instant now) {
        Document head = head(session, group, key);
        if (head != null && !head.containsKey(InboxFields.NEXT_ATTEMPT_AT)) {
            held.updateOne(
                    session,
                    eq("_id", head.get("_id")),
                    combine(set(InboxFields.NEXT_ATTEMPT_AT, date(now)), set(InboxFields.SCHEDULED_AT, date(now))));
        }
    }

    /** Parks dead letters, in this order, and makes the head of each key due. */
    void replay(ClientSession session, String group, List<DeadLetter> letters) {
        Set<String> keys = new HashSet<>();
        letters.forEach(letter -> keys.add(letter.qualifiedKey()));
        for (String key : keys) {
            Document head = head(session, group, key);
            if (head != null) {
                held.updateOne(session, eq("_id", head.get("_id")), inc(InboxFields.TOUCHED, 1));
            }
        }
        for (DeadLetter letter : letters) {
            insert(
                    session,
                    MessageDocuments.fields(letter.message())
                            .append(InboxFields.GROUP, group)
                            .append(InboxFields.EVENT_ID, letter.eventId().toString())
                            .append(InboxFields.EVENT_TYPE, letter.eventType())
                            .append(InboxFields.ENTITY_ID, letter.qualifiedKey())
                            .append(InboxFields.STATE, InboxFields.PARKED)
                            .append(InboxFields.ATTEMPTS, 0));
        }
        Instant now = database.now();
        keys.forEach(key -> wakeHead(session, group, key, now));
    }
}

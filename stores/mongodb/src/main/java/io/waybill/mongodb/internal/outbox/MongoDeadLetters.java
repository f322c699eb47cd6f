package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentDate;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.unset;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.WriteModel;
import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.mongodb.internal.db.AuditLog;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * Replays and discards dead letters.
 *
 * <p>Every change conflicts with claims in the same lanes. This rules out the following race: a relay finds that a dead letter blocks a
 * key, and parks the next event of the key. At the same time an operator discards the dead letter and frees the parked events, but does
 * not see that event, because the relay has not committed. The event would stay parked forever.
 */
public final class MongoDeadLetters implements DeadLetters {
    private final MongoTransactions database;
    private final MongoView view;
    private final LaneStore lanes;
    private final AuditLog audit;
    private final MongoCollection<Document> events;

    public MongoDeadLetters(MongoTransactions database, MongoView view, LaneStore lanes, AuditLog audit) {
        this.database = database;
        this.view = view;
        this.lanes = lanes;
        this.audit = audit;
        this.events = database.collection(Collections.EVENTS);
    }

    @Override
    public List<UUID> matching(EventFilter filter, int limit) {
        return view.events(filter.state(EventState.DEAD_LETTER), Math.min(limit, LARGEST_BULK)).stream()
                .map(dead -> dead.event().id())
                .toList();
    }

    @Override
    public List<UUID> replay(List<UUID> ids, Decision decision) {
        return change("replay", ids, decision, (session, dead, now) -> replay(session, dead, now, null));
    }

    @Override
    public List<UUID> replayTo(String topic, List<UUID> ids, Decision decision) {
        // The builder of events validates the topic.
        String checked =
                Event.builder("replay", "replay", "replay").topic(topic).build().destination();
        Decision audited = new Decision(decision.actor(), decision.reason() + " (topic set to " + checked + ")");
        return change("replay", ids, audited, (session, dead, now) -> replay(session, dead, now, checked));
    }

    @Override
    public List<UUID> discard(List<UUID> ids, Decision decision) {
        return change("discard", ids, decision, this::discard);
    }

    @FunctionalInterface
    private interface Change {
        void make(ClientSession session, List<Document> dead, Instant now);
    }

    private List<UUID> change(String action, List<UUID> ids, Decision decision, Change change) {
        if (ids.size() > LARGEST_BULK) {
            throw new WaybillException("Cannot " + action + " " + ids.size() + " dead letters at once; at most "
                    + LARGEST_BULK + " are allowed. Split the list.");
        }
        if (ids.isEmpty()) {
            return List.of();
        }
        Instant now = database.now();
        return database.run(action + " dead letters", session -> {
            List<Document> dead = events.find(
                            session,
                            and(
                                    in(
                                            EventFields.EVENT_ID,
                                            ids.stream().map(UUID::toString).toList()),
                                    EventQueries.DEAD))
                    .sort(ascending(EventFields.SEQ))
                    .into(new ArrayList<>());
            if (dead.isEmpty()) {
                return List.of();
            }
            Set<Integer> numbers = new TreeSet<>();
            dead.forEach(event -> numbers.add(Lanes.of(EventDocuments.key(event))));
            lanes.lock(session, numbers);
            change.make(session, dead, now);
            List<UUID> changed =
                    dead.stream().map(event -> EventDocuments.event(event).id()).toList();
            audit.record(session, action, changed, decision, new Document());
            return changed;
        });
    }

    /**
     * Of several dead letters of one key, the first one becomes due and the others are parked behind it, as if it had failed once more.
     * They are therefore sent in order, whatever the outcome of the first one is.
     */
    private void replay(ClientSession session, List<Document> dead, Instant now, @Nullable String topic) {
        Set<String> keys = new HashSet<>();
        List<WriteModel<Document>> writes = new ArrayList<>();
        for (Document event : dead) {
            String key = EventDocuments.key(event);
            List<Bson> changes = new ArrayList<>(List.of(
                    set(EventFields.HELD_KEY, key),
                    set(EventFields.RETRY_COUNT, 0),
                    set(EventFields.CRASH_COUNT, 0),
                    unset(EventFields.DEAD_AT)));
            if (keys.add(key)) {
                changes.add(set(EventFields.STATUS, EventFields.FAILED));
                changes.add(set(EventFields.RETRY_LANE, Lanes.of(key)));
                changes.add(set(EventFields.NEXT_ATTEMPT_AT, Date.from(now)));
            } else {
                changes.add(set(EventFields.STATUS, EventFields.PENDING));
                changes.add(set(EventFields.PARKED, true));
            }
            if (topic != null) {
                changes.add(set(EventFields.TOPIC, topic));
            }
            writes.add(new UpdateOneModel<>(eq(EventFields.ID, event.get(EventFields.ID)), combine(changes)));
        }
        events.bulkWrite(session, writes);
    }

    private void discard(ClientSession session, List<Document> dead, Instant now) {
        events.updateMany(
                session,
                in(
                        EventFields.ID,
                        dead.stream().map(event -> event.get(EventFields.ID)).toList()),
                combine(
                        unset(EventFields.DEAD_AT),
                        unset(EventFields.HELD_KEY),
                        currentDate(EventFields.DISCARDED_AT)));
        Set<String> keys = new HashSet<>();
        dead.forEach(event -> keys.add(EventDocuments.key(event)));
        new ParkedEvents(session, events).free(keys, now);
    }
}

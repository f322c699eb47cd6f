package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.unset;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Parks events behind a held event of their key, and frees them when no earlier event of their key is held.
 *
 * <p>A key may have a million parked events behind one that failed. They are freed in chunks, in order, so that no transaction takes
 * long and other keys of the lane are served in between. A freed event is pending, like a new one. The first event after the
 * chunk stays parked and holds the later events of the key, but it is given a due time: a claim in the lane finds it and frees the
 * next chunk. All of this is stored in the documents, so that a change of the lane's owner loses nothing.
 */
final class ParkedEvents {
    /** The approximate limit on the events that one transaction frees or parks. */
    static final int MAX_PER_TRANSACTION = 2_000;

    private static final int MAX_PER_KEY = 500;
    private static final int MIN_PER_KEY = 20;

    private final ClientSession session;
    private final MongoCollection<Document> events;

    ParkedEvents(ClientSession session, MongoCollection<Document> events) {
        this.session = session;
        this.events = events;
    }

    /** Parks the events with these ids behind the held event of their key. */
    private void park(String key, List<Object> ids) {
        events.updateMany(
                session,
                in(EventFields.ID, ids),
                combine(set(EventFields.PARKED, true), set(EventFields.HELD_KEY, key)));
    }

    /** Frees the first parked events of these keys. The caller has locked their lanes. */
    void free(Collection<String> keys, Instant now) {
        if (keys.isEmpty()) {
            return;
        }
        int chunk = Math.max(MIN_PER_KEY, Math.min(MAX_PER_KEY, MAX_PER_TRANSACTION / keys.size()));
        List<Object> freed = new ArrayList<>();
        for (String key : keys) {
            List<Document> parked = firstParked(key, chunk + 1);
            parked.stream().limit(chunk).forEach(event -> freed.add(event.get(EventFields.ID)));
            if (parked.size() > chunk) {
                makeDue(parked.get(chunk), key, now);
            }
        }
        if (!freed.isEmpty()) {
            events.updateMany(
                    session,
                    in(EventFields.ID, freed),
                    combine(
                            set(EventFields.PARKED, false),
                            unset(EventFields.HELD_KEY),
                            unset(EventFields.RETRY_LANE),
                            unset(EventFields.NEXT_ATTEMPT_AT)));
        }
    }

    /** Returns the parked events up to the first one that is held for another reason: a retry, or a dead letter that blocks the key. */
    private List<Document> firstParked(String key, int limit) {
        List<Document> parked = new ArrayList<>();
        for (Document event : events.find(session, eq(EventFields.HELD_KEY, key))
                .projection(include(EventFields.PARKED))
                .sort(ascending(EventFields.SEQ))
                .limit(limit)) {
            if (!event.getBoolean(EventFields.PARKED, false)) {
                break;
            }
            parked.add(event);
        }
        return parked;
    }

    private void makeDue(Document event, String key, Instant now) {
        events.updateOne(
                session,
                eq(EventFields.ID, event.get(EventFields.ID)),
                combine(set(EventFields.RETRY_LANE, Lanes.of(key)), set(EventFields.NEXT_ATTEMPT_AT, Date.from(now))));
    }

    /** Returns the place of the first held event of each of the keys that have one. Reads one index entry for each key. */
    private Map<String, BsonTimestamp> firstHeld(Collection<String> keys) {
        Map<String, BsonTimestamp> first = new HashMap<>();
        events.aggregate(
                        session,
                        List.of(
                                Aggregates.match(in(EventFields.HELD_KEY, keys)),
                                Aggregates.sort(ascending(EventFields.HELD_KEY, EventFields.SEQ)),
                                Aggregates.group(
                                        "$" + EventFields.HELD_KEY,
                                        Accumulators.first(EventFields.SEQ, "$" + EventFields.SEQ))))
                .forEach(key -> first.put(key.getString("_id"), key.get(EventFields.SEQ, BsonTimestamp.class)));
        return first;
    }

    /** The documents that a claim reads: pending events of a lane that are not parked. */
    static Bson pending(int lane) {
        return and(
                eq(EventFields.STATUS, EventFields.PENDING), eq(EventFields.PARKED, false), eq(EventFields.LANE, lane));
    }

    /** Parks each of these events that follows a held event of its key. Returns how many of them are free. */
    int parkHeld(List<Document> pending) {
        Map<String, BsonTimestamp> held =
                firstHeld(pending.stream().map(EventDocuments::key).distinct().toList());
        Map<String, List<Object>> toPark = new LinkedHashMap<>();
        int free = 0;
        for (Document event : pending) {
            String key = EventDocuments.key(event);
            BsonTimestamp first = held.get(key);
            if (first == null || event.get(EventFields.SEQ, BsonTimestamp.class).compareTo(first) < 0) {
                free++;
            } else {
                toPark.computeIfAbsent(key, unused -> new ArrayList<>()).add(event.get(EventFields.ID));
            }
        }
        toPark.forEach(this::park);
        return free;
    }
}

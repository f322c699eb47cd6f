package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentDate;
import static com.mongodb.client.model.Updates.currentTimestamp;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.WriteModel;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Gives lane and order to events that other software has inserted without them.
 *
 * <p>One transaction at a time does so, with a snapshot that contains every event that was committed before. If the writers of a key
 * exclude each other, an event is therefore never numbered after a later one of its key. Within a transaction the events are
 * numbered by the time that their writer has set, and those of one key by their version, where they have one.
 */
final class ForeignEvents {
    private static final int MAX_PER_TRANSACTION = 1_000;
    static final Bson WITHOUT_LANE = and(eq(EventFields.STATUS, EventFields.PENDING), eq(EventFields.LANE, null));

    private final MongoTransactions database;
    private final MongoCollection<Document> events;

    ForeignEvents(MongoTransactions database) {
        this.database = database;
        this.events = database.collection(Collections.EVENTS);
    }

    /** Numbers the oldest events that have no lane. */
    void number() {
        boolean any = database.call(
                "look for events without a lane",
                () -> events.find(WITHOUT_LANE)
                                .projection(include(EventFields.ID))
                                .limit(1)
                                .first()
                        != null);
        if (any) {
            database.run("give lanes to events", session -> {
                // Two of these transactions at a time conflict.
                database.collection(Collections.CLAIMS)
                        .updateOne(session, eq("_id", LaneStore.FOREIGN_EVENTS), inc("changes", 1L));
                return number(session);
            });
        }
    }

    private int number(ClientSession session) {
        List<Document> found = events.find(session, WITHOUT_LANE)
                .projection(include(
                        EventFields.PARTITION_KEY,
                        EventFields.ENTITY_ID,
                        EventFields.ENTITY_VERSION,
                        EventFields.CREATED_AT,
                        EventFields.RETRY_COUNT))
                .sort(ascending(EventFields.CREATED_AT, EventFields.ID))
                .limit(MAX_PER_TRANSACTION)
                .into(new ArrayList<>());
        List<WriteModel<Document>> writes = new ArrayList<>();
        for (Document event : byVersion(found)) {
            List<Bson> changes = new ArrayList<>(List.of(
                    set(EventFields.LANE, Lanes.of(EventDocuments.key(event))),
                    set(EventFields.PARKED, false),
                    currentTimestamp(EventFields.SEQ)));
            if (!(event.get(EventFields.RETRY_COUNT) instanceof Number)) {
                changes.add(set(EventFields.RETRY_COUNT, 0));
            }
            if (EventDocuments.time(event, EventFields.CREATED_AT) == null) {
                changes.add(currentDate(EventFields.CREATED_AT));
            }
            writes.add(new UpdateOneModel<>(eq(EventFields.ID, event.get(EventFields.ID)), combine(changes)));
        }
        if (!writes.isEmpty()) {
            events.bulkWrite(session, writes);
        }
        return writes.size();
    }

    /** Sorts the events of each key that have a version by it. They take the places that these events had before. */
    static List<Document> byVersion(List<Document> events) {
        Map<String, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).get(EventFields.ENTITY_VERSION) instanceof Number) {
                places.computeIfAbsent(EventDocuments.key(events.get(i)), key -> new ArrayList<>())
                        .add(i);
            }
        }
        List<Document> sorted = new ArrayList<>(events);
        for (List<Integer> ofKey : places.values()) {
            List<Document> versions =
                    new ArrayList<>(ofKey.stream().map(events::get).toList());
            versions.sort(Comparator.comparingLong(
                    event -> event.get(EventFields.ENTITY_VERSION, Number.class).longValue()));
            for (int i = 0; i < versions.size(); i++) {
                sorted.set(ofKey.get(i), versions.get(i));
            }
        }
        return sorted;
    }
}

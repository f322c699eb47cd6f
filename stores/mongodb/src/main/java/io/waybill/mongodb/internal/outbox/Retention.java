package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.client.MongoCollection;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Removes old events and relays, and frees the parked events of keys whose first held event is itself parked. The latter happens only
 * when the failing event before it was deleted by hand.
 */
public final class Retention {
    private static final Duration RELAYS = Duration.ofHours(1);
    private static final int KEYS_PER_RUN = 100;

    private final MongoTransactions database;
    private final LaneStore lanes;
    private final MongoCollection<Document> events;

    /** The key at which the last run stopped. */
    private volatile String last = "";

    public Retention(MongoTransactions database, LaneStore lanes) {
        this.database = database;
        this.lanes = lanes;
        this.events = database.collection(Collections.EVENTS);
    }

    public int prune(Duration age, int limit) {
        freeOrphans();
        Instant now = database.now();
        return database.call("remove old events", () -> {
            database.collection(Collections.RELAYS)
                    .deleteMany(lt(RelayFields.EXPIRES_AT, Date.from(now.minus(RELAYS))));
            Date before = Date.from(now.minus(age));
            int removed = remove(
                    and(eq(EventFields.STATUS, EventFields.PUBLISHED), lt(EventFields.PUBLISHED_AT, before)),
                    EventFields.PUBLISHED_AT,
                    limit);
            if (removed < limit) {
                removed += remove(
                        and(EventQueries.DISCARDED, lt(EventFields.DISCARDED_AT, before)),
                        EventFields.DISCARDED_AT,
                        limit - removed);
            }
            return removed;
        });
    }

    private int remove(Bson old, String order, int limit) {
        List<Object> ids = new ArrayList<>();
        events.find(old)
                .projection(include(EventFields.ID))
                .sort(ascending(order))
                .limit(limit)
                .forEach(event -> ids.add(event.get(EventFields.ID)));
        // The condition is repeated: an operator may have replayed an event in the meantime.
        return ids.isEmpty()
                ? 0
                : (int) events.deleteMany(and(in(EventFields.ID, ids), old)).getDeletedCount();
    }

    private void freeOrphans() {
        List<String> orphans = database.call("look for keys that only have parked events", this::orphans);
        Instant now = database.now();
        for (String key : orphans) {
            database.run("free key " + key, session -> {
                lanes.lock(session, List.of(Lanes.of(key)));
                new ParkedEvents(session, events).free(List.of(key), now);
                return key;
            });
        }
    }

    private List<String> orphans() {
        List<String> orphans = new ArrayList<>();
        String key = last;
        for (int i = 0; i < KEYS_PER_RUN && (i == 0 || !key.isEmpty()); i++) {
            Document first = events.find(gt(EventFields.HELD_KEY, key))
                    .projection(include(EventFields.HELD_KEY, EventFields.PARKED, EventFields.RETRY_LANE))
                    .sort(ascending(EventFields.HELD_KEY, EventFields.SEQ))
                    .limit(1)
                    .first();
            key = first == null ? "" : EventDocuments.text(first, EventFields.HELD_KEY);
            // A parked event with a due time is freed by a claim, see ParkedEvents.
            if (first != null
                    && first.getBoolean(EventFields.PARKED, false)
                    && !first.containsKey(EventFields.RETRY_LANE)) {
                orphans.add(key);
            }
        }
        last = key;
        return orphans;
    }
}

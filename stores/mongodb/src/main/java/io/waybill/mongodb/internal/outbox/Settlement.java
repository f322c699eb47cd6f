package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentDate;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.unset;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.WriteModel;
import io.waybill.internal.StorableText;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Settles batches in one round trip, and frees parked events behind finished ones. */
final class Settlement {
    private static final int MAX_ERROR_LENGTH = 4_000;

    private final List<LaneRequest> requests;
    private final Instant now;
    private final List<WriteModel<Document>> writes = new ArrayList<>();
    private final Set<String> freedKeys = new LinkedHashSet<>();
    private long expected;

    Settlement(List<LaneRequest> requests, Instant now) {
        this.requests = requests;
        this.now = now;
        requests.forEach(this::prepare);
    }

    /** Settles, and throws unless each event was still claimed. */
    void settleAll(ClientSession session, MongoCollection<Document> events) {
        long settled = settle(session, events);
        if (settled != expected) {
            List<Lease> leases = requests.stream().map(LaneRequest::lease).toList();
            throw new StoreException(
                    "Settled only " + settled + " of " + expected + " events of " + leases
                            + ": another session changed or deleted the other documents. The transaction is rolled back,"
                            + " and the lane is reconciled next.",
                    null);
        }
    }

    /** Settles the events that are still claimed, and returns their number. */
    long settle(ClientSession session, MongoCollection<Document> events) {
        if (writes.isEmpty()) {
            return 0;
        }
        long settled = events.bulkWrite(session, writes).getMatchedCount();
        new ParkedEvents(session, events).free(freedKeys, now);
        return settled;
    }

    private void prepare(LaneRequest request) {
        List<BsonTimestamp> published = new ArrayList<>();
        for (PublishOutcome outcome : request.outcomes()) {
            if (outcome instanceof PublishOutcome.Published) {
                published.add(new BsonTimestamp(outcome.claimed().position()));
                if (outcome.claimed().retried()) {
                    freedKeys.add(outcome.claimed().event().key());
                }
            } else {
                writes.add(new UpdateOneModel<>(
                        and(
                                claimed(request.lease().lane()),
                                eq(
                                        EventFields.SEQ,
                                        new BsonTimestamp(outcome.claimed().position())),
                                // If an earlier answer was lost, the same failure may be recorded already.
                                eq(EventFields.RETRY_COUNT, outcome.claimed().retryCount())),
                        change(outcome, request.lease().lane())));
            }
        }
        expected += request.outcomes().size();
        if (!published.isEmpty()) {
            writes.add(new UpdateManyModel<>(
                    and(claimed(request.lease().lane()), in(EventFields.SEQ, published)),
                    combine(
                            set(EventFields.STATUS, EventFields.PUBLISHED),
                            currentDate(EventFields.PUBLISHED_AT),
                            UNLOCK,
                            NOT_HELD,
                            NOT_DUE)));
        }
    }

    /** The documents of a lane that its owner has claimed. */
    static Bson claimed(int lane) {
        return and(
                eq(EventFields.STATUS, EventFields.PROCESSING),
                eq(EventFields.PARKED, false),
                eq(EventFields.LANE, lane));
    }

    static final Bson UNLOCK = combine(set(EventFields.LOCKED_BY, null), set(EventFields.LOCKED_UNTIL, null));
    static final Bson NOT_HELD = unset(EventFields.HELD_KEY);
    static final Bson NOT_DUE = combine(unset(EventFields.RETRY_LANE), unset(EventFields.NEXT_ATTEMPT_AT));

    private Bson change(PublishOutcome outcome, int lane) {
        ClaimedEvent claimed = outcome.claimed();
        String key = claimed.event().key();
        if (outcome instanceof PublishOutcome.Retry retry) {
            return combine(
                    UNLOCK,
                    set(EventFields.STATUS, EventFields.FAILED),
                    set(EventFields.HELD_KEY, key),
                    set(EventFields.RETRY_LANE, lane),
                    set(EventFields.NEXT_ATTEMPT_AT, Date.from(now.plus(retry.delay()))),
                    set(EventFields.RETRY_COUNT, claimed.retryCount() + (retry.counted() ? 1 : 0)),
                    set(EventFields.CRASH_COUNT, 0),
                    failure(retry.error()));
        }
        if (outcome instanceof PublishOutcome.Parked) {
            return combine(
                    UNLOCK,
                    set(EventFields.STATUS, EventFields.PENDING),
                    set(EventFields.PARKED, true),
                    set(EventFields.HELD_KEY, key),
                    NOT_DUE);
        }
        if (outcome instanceof PublishOutcome.Dead dead) {
            if (!dead.blocksKey() && claimed.retried()) {
                freedKeys.add(key);
            }
            return combine(
                    UNLOCK,
                    set(EventFields.STATUS, EventFields.FAILED),
                    set(EventFields.RETRY_COUNT, claimed.retryCount() + 1),
                    currentDate(EventFields.DEAD_AT),
                    dead.blocksKey() ? set(EventFields.HELD_KEY, key) : NOT_HELD,
                    NOT_DUE,
                    failure(dead.error()));
        }
        return combine(UNLOCK, set(EventFields.STATUS, claimed.retried() ? EventFields.FAILED : EventFields.PENDING));
    }

    private static Bson failure(String error) {
        return combine(
                set(EventFields.LAST_ERROR, StorableText.sanitize(error, MAX_ERROR_LENGTH)),
                currentDate(EventFields.LAST_ERROR_AT));
    }
}

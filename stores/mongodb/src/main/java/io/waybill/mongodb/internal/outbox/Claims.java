package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentDate;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateManyModel;
import com.mongodb.client.model.WriteModel;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Claims events of one or several lanes, in order per key, in the transaction that settles the previous batches. */
public final class Claims {
    private static final String CRASH_ERROR = "The relay crashed while it held this event.";

    private final MongoTransactions database;
    private final LaneStore lanes;
    private final MongoCollection<Document> events;

    /** The number of events in the open claim of each lease, one entry for each lane of a relay. */
    private final Map<Lease, Integer> open = new ConcurrentHashMap<>();

    public Claims(MongoTransactions database, LaneStore lanes) {
        this.database = database;
        this.lanes = lanes;
        this.events = database.collection(Collections.EVENTS);
    }

    /** @param lock how long the documents say that their events are locked */
    public Map<Lease, List<ClaimedEvent>> advance(List<LaneRequest> requests, Duration lock) {
        List<Lease> leases = requests.stream().map(LaneRequest::lease).toList();
        Instant now = database.now();
        Map<Lease, List<ClaimedEvent>> claimed = database.run("settle and claim in " + leases, session -> {
            lanes.verify(session, leases);
            new Settlement(requests, now).settleAll(session, events);
            requests.forEach(request -> releaseUnsettled(session, request));
            return claim(session, requests, now, now.plus(lock));
        });
        claimed.forEach((lease, batch) -> {
            open.keySet()
                    .removeIf(old ->
                            old.relay().equals(lease.relay()) && old.lane() == lease.lane() && !old.equals(lease));
            open.put(lease, batch.size());
        });
        return claimed;
    }

    /** A claim replaces the last one. If it settles only a part of the last one, the other events become pending again. */
    private void releaseUnsettled(ClientSession session, LaneRequest request) {
        int last = open.getOrDefault(request.lease(), 0);
        if (request.limit() > 0 && request.outcomes().size() < last) {
            unclaim(session, request.lease().lane(), Settlement.UNLOCK);
        }
    }

    private Map<Lease, List<ClaimedEvent>> claim(
            ClientSession session, List<LaneRequest> requests, Instant now, Instant lockedUntil) {
        boolean anyHeld = requests.stream().anyMatch(request -> request.limit() > 0) && anyHeld(session);
        Map<Lease, List<ClaimedEvent>> claimed = new HashMap<>();
        List<WriteModel<Document>> writes = new ArrayList<>();
        for (LaneRequest request : requests) {
            LaneClaim lane = new LaneClaim(session, events, request, now);
            if (request.limit() > 0) {
                lane.choose(anyHeld);
            }
            claimed.put(request.lease(), lane.events());
            if (!lane.events().isEmpty()) {
                writes.add(markClaimed(request.lease(), lane.events(), lockedUntil));
            }
        }
        if (!writes.isEmpty()) {
            events.bulkWrite(session, writes);
        }
        return claimed;
    }

    private boolean anyHeld(ClientSession session) {
        return events.find(session, gt(EventFields.HELD_KEY, ""))
                        .projection(include(EventFields.ID))
                        .limit(1)
                        .first()
                != null;
    }

    private static WriteModel<Document> markClaimed(Lease lease, List<ClaimedEvent> claims, Instant lockedUntil) {
        List<BsonTimestamp> positions = claims.stream()
                .map(claim -> new BsonTimestamp(claim.position()))
                .toList();
        return new UpdateManyModel<>(
                and(
                        in(EventFields.STATUS, EventFields.PENDING, EventFields.FAILED),
                        eq(EventFields.PARKED, false),
                        eq(EventFields.LANE, lease.lane()),
                        in(EventFields.SEQ, positions)),
                combine(
                        set(EventFields.STATUS, EventFields.PROCESSING),
                        set(EventFields.LOCKED_BY, lease.relay()),
                        set(EventFields.LOCKED_UNTIL, Date.from(lockedUntil)),
                        currentDate(EventFields.PROCESSING_STARTED_AT)));
    }

    public void reconcile(LaneRequest request) {
        Instant now = database.now();
        database.run("reconcile " + request.lease(), session -> {
            lanes.verify(session, List.of(request.lease()));
            new Settlement(List.of(request), now).settle(session, events);
            unclaim(session, request.lease().lane(), Settlement.UNLOCK);
            return request;
        });
        open.remove(request.lease());
    }

    /**
     * Releases the events that the last owner held when it crashed, and counts a failed attempt for each: one of them may have caused the
     * crash.
     */
    public void recover(ClientSession session, int lane) {
        unclaim(
                session,
                lane,
                combine(
                        Settlement.UNLOCK,
                        inc(EventFields.RETRY_COUNT, 1),
                        inc(EventFields.CRASH_COUNT, 1),
                        set(EventFields.LAST_ERROR, CRASH_ERROR),
                        currentDate(EventFields.LAST_ERROR_AT)));
    }

    /** Makes claimed retries due again, and claimed first attempts pending. */
    private void unclaim(ClientSession session, int lane, Bson change) {
        Bson claimed = Settlement.claimed(lane);
        events.updateMany(
                session,
                and(claimed, eq(EventFields.RETRY_LANE, lane)),
                combine(change, set(EventFields.STATUS, EventFields.FAILED)));
        events.updateMany(session, claimed, combine(change, set(EventFields.STATUS, EventFields.PENDING)));
    }
}

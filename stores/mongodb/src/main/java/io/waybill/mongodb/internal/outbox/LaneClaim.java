package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lte;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.Document;

/**
 * Chooses the events to claim in one lane.
 *
 * <p>The weight of an event is 8 to the power of the number of relays that crashed while they held it. The events of a batch weigh no
 * more than its limit, unless the batch is a single event. An event that crashes its relays is therefore soon sent alone, and
 * only this event reaches the limit of attempts.
 *
 * <p>A document of MongoDB has at most 16 MB, and one reply of the server no more than about that. So a claim holds this much in
 * memory beside its own limit.
 */
final class LaneClaim {
    private static final int MAX_EXPONENT = 6;

    private final ClientSession session;
    private final MongoCollection<Document> events;
    private final LaneRequest request;
    private final Instant now;
    private final ParkedEvents parked;
    private final List<ClaimedEvent> chosen = new ArrayList<>();
    private long bytes;
    private boolean suspects;

    LaneClaim(ClientSession session, MongoCollection<Document> events, LaneRequest request, Instant now) {
        this.session = session;
        this.events = events;
        this.request = request;
        this.now = now;
        this.parked = new ParkedEvents(session, events);
    }

    int lane() {
        return request.lease().lane();
    }

    /** Returns the chosen events in their order. */
    List<ClaimedEvent> events() {
        chosen.sort((a, b) -> Long.compareUnsigned(a.position(), b.position()));
        return chosen;
    }

    /** @param anyHeld whether any key of the outbox is held; if not, no event is due and none must be parked */
    void choose(boolean anyHeld) {
        if (!anyHeld) {
            chooseFirstAttempts(request.limit(), request.limit());
            return;
        }
        List<Document> ahead = peek();
        List<Document> due = due();
        Set<String> chunkIsOver = new HashSet<>();
        due.stream().filter(LaneClaim::isParked).map(EventDocuments::key).forEach(chunkIsOver::add);
        ahead.forEach(event -> chunkIsOver.remove(EventDocuments.key(event)));
        chooseRetries(due.stream().filter(event -> !isParked(event)).toList());
        int left = suspects || bytes >= request.bytes() ? 0 : request.limit() - chosen.size();
        if (left > 0) {
            chooseFirstAttempts(left, parkHeld(ahead));
        }
        // The next chunk of such a key is claimed later, so that other keys are served between two chunks.
        parked.free(chunkIsOver, now);
    }

    private static boolean isParked(Document event) {
        return event.getBoolean(EventFields.PARKED, false);
    }

    /** Returns keys and places of the first pending events. */
    private List<Document> peek() {
        return events.find(session, ParkedEvents.pending(lane()))
                .projection(include(EventFields.PARTITION_KEY, EventFields.ENTITY_ID, EventFields.SEQ))
                .sort(ascending(EventFields.SEQ))
                .limit(request.limit())
                .into(new ArrayList<>());
    }

    /** Parks the first pending events whose keys are held, until some are free. Returns how many of the first ones are free. */
    private int parkHeld(List<Document> first) {
        List<Document> ahead = first;
        int examined = 0;
        while (!ahead.isEmpty()) {
            int free = parked.parkHeld(ahead);
            examined += ahead.size();
            if (free > 0 || examined >= ParkedEvents.MAX_PER_TRANSACTION) {
                return free;
            }
            ahead = peek();
        }
        return 0;
    }

    /** Returns the due retries, and the parked events behind which the next chunk of their key waits. */
    private List<Document> due() {
        return events.find(
                        session,
                        and(
                                eq(EventFields.RETRY_LANE, lane()),
                                lte(EventFields.NEXT_ATTEMPT_AT, Date.from(now)),
                                in(EventFields.STATUS, EventFields.FAILED, EventFields.PENDING)))
                .sort(ascending(EventFields.NEXT_ATTEMPT_AT))
                .limit(maxRetries())
                .into(new ArrayList<>());
    }

    /** Half of the batch is left for first attempts. */
    private int maxRetries() {
        return Math.max(1, request.limit() / 2);
    }

    private void chooseRetries(List<Document> due) {
        List<Document> inOrder = new ArrayList<>(due);
        inOrder.sort(Comparator.comparing(event -> event.get(EventFields.SEQ, org.bson.BsonTimestamp.class)));
        double weight = 0;
        for (Document retry : inOrder) {
            int crashes = EventDocuments.crashes(retry);
            weight += weight(crashes);
            boolean full = weight > maxRetries() || bytes >= request.bytes() / 2;
            if (full && !chosen.isEmpty()) {
                return;
            }
            add(retry);
            suspects |= crashes > 0;
        }
    }

    /** @param free how many of the first pending events have keys that are not held */
    private void chooseFirstAttempts(int limit, int free) {
        if (free == 0) {
            return;
        }
        int retries = chosen.size();
        double weight = 0;
        try (MongoCursor<Document> pending = events.find(session, ParkedEvents.pending(lane()))
                .sort(ascending(EventFields.SEQ))
                .limit(Math.min(limit, free))
                .iterator()) {
            while (pending.hasNext()) {
                Document event = pending.next();
                weight += weight(EventDocuments.crashes(event));
                boolean full = weight > limit || bytes >= request.bytes();
                if (full && chosen.size() > retries) {
                    return;
                }
                add(event);
            }
        }
    }

    private void add(Document event) {
        ClaimedEvent claimed = EventDocuments.claimed(event, now);
        bytes += claimed.event().payload().length();
        chosen.add(claimed);
    }

    private static double weight(int crashes) {
        return Math.pow(8, Math.min(crashes, MAX_EXPONENT));
    }
}

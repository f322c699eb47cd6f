package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.setOnInsert;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.Document;

/**
 * The heartbeat of a relay: it renews the relay's leases and returns the roster of live relays and lanes. If the server's clock was
 * set back, or a member with another clock became the primary, it also corrects times that come from the old clock.
 */
final class Heartbeat {
    /** If a time lies further in the future than this, the clock was set back. Smaller differences are normal. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    private static final String ID = "_id";

    private final MongoCollection<Document> events;
    private final MongoCollection<Document> lanes;
    private final MongoCollection<Document> relays;
    private final Duration length;
    private final Instant now;

    Heartbeat(MongoTransactions database, Duration length) {
        this.events = database.collection(Collections.EVENTS);
        this.lanes = database.collection(Collections.LANES);
        this.relays = database.collection(Collections.RELAYS);
        this.length = length;
        this.now = database.now();
    }

    RelayRoster send(RelayReport report) {
        if (relays.find(gt(RelayFields.HEARTBEAT_AT, date(now.plus(CLOCK_TOLERANCE))))
                        .first()
                != null) {
            makeRetriesDue();
        }
        relays.updateOne(
                eq(ID, report.name()),
                combine(
                        set(RelayFields.HEARTBEAT_AT, date(now)),
                        set(RelayFields.EXPIRES_AT, date(now.plus(length))),
                        set(RelayFields.PUBLISHED_TOTAL, report.publishedTotal()),
                        set(RelayFields.PUBLISHED_PER_SECOND, report.publishedPerSecond()),
                        set(RelayFields.SERVING, report.serving()),
                        setOnInsert(RelayFields.PLACE, report.place()),
                        setOnInsert(RelayFields.VERSION, report.version()),
                        setOnInsert(RelayFields.STARTED_AT, date(now))),
                new UpdateOptions().upsert(true));
        // A lane's document is written a few times per lease, not at every heartbeat.
        Instant renewBefore = now.plus(length.multipliedBy(2).dividedBy(3));
        lanes.updateMany(
                and(eq(LaneStore.OWNER, report.name()), lt(LaneStore.EXPIRES_AT, date(renewBefore))),
                set(LaneStore.EXPIRES_AT, date(now.plus(length))));
        Map<String, Document> live = liveRelays();
        return new RelayRoster(
                List.copyOf(live.keySet()),
                live.entrySet().stream()
                        .filter(relay -> relay.getValue().getBoolean(RelayFields.SERVING, true))
                        .map(Map.Entry::getKey)
                        .toList(),
                lanes(live));
    }

    private static Date date(Instant time) {
        return Date.from(time);
    }

    private void makeRetriesDue() {
        events.updateMany(
                and(
                        in(EventFields.RETRY_LANE, Lanes.ALL),
                        gt(EventFields.NEXT_ATTEMPT_AT, date(now)),
                        eq(EventFields.STATUS, EventFields.FAILED)),
                set(EventFields.NEXT_ATTEMPT_AT, date(now)));
    }

    /** A relay whose heartbeat lies in the future expires one lease from now; otherwise it would count as live until the old time. */
    private Map<String, Document> liveRelays() {
        Map<String, Document> live = new LinkedHashMap<>();
        relays.find(gt(RelayFields.EXPIRES_AT, date(now)))
                .sort(ascending(ID))
                .forEach(relay -> live.put(relay.getString(ID), relay));
        live.forEach((name, relay) -> {
            Instant heartbeat = relay.getDate(RelayFields.HEARTBEAT_AT).toInstant();
            if (heartbeat.isAfter(now.plus(CLOCK_TOLERANCE))) {
                relays.updateOne(
                        and(eq(ID, name), gt(RelayFields.HEARTBEAT_AT, date(now))),
                        combine(
                                set(RelayFields.HEARTBEAT_AT, date(now)),
                                set(RelayFields.EXPIRES_AT, date(now.plus(leaseOf(relay))))));
            }
        });
        return live;
    }

    private static Duration leaseOf(Document relay) {
        return Duration.between(
                relay.getDate(RelayFields.HEARTBEAT_AT).toInstant(),
                relay.getDate(RelayFields.EXPIRES_AT).toInstant());
    }

    /** A lease that lasts longer than those of its owner was taken before the clock was set back: it expires one lease from now. */
    private List<RelayRoster.Ownership> lanes(Map<String, Document> live) {
        List<RelayRoster.Ownership> roster = new ArrayList<>();
        for (Document lane : lanes.find().sort(ascending(ID)).into(new ArrayList<>())) {
            String owner = EventDocuments.text(lane, LaneStore.OWNER);
            long fence = lane.getLong(LaneStore.FENCE);
            Instant expiry = EventDocuments.time(lane, LaneStore.EXPIRES_AT);
            Duration remaining = expiry == null ? Duration.ZERO : Duration.between(now, expiry);
            Document relay = live.get(owner);
            Duration longest = relay == null ? length : leaseOf(relay);
            if (!owner.isEmpty() && remaining.compareTo(longest.plus(CLOCK_TOLERANCE)) > 0) {
                remaining = longest;
                lanes.updateOne(
                        and(eq(ID, lane.getInteger(ID)), eq(LaneStore.OWNER, owner), eq(LaneStore.FENCE, fence)),
                        set(LaneStore.EXPIRES_AT, date(now.plus(longest))));
            }
            roster.add(new RelayRoster.Ownership(lane.getInteger(ID), owner, fence, remaining));
        }
        return List.copyOf(roster);
    }
}

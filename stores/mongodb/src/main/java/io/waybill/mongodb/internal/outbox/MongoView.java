package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.mongodb.internal.db.AuditLog;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Reads the outbox for operators. Lists are limited and read along an index. */
public final class MongoView implements OutboxView {
    private static final Duration SHOWN_AFTER_EXPIRY = Duration.ofMinutes(10);

    private final MongoTransactions database;
    private final MongoCollection<Document> events;
    private final AuditLog audit;

    public MongoView(MongoTransactions database, AuditLog audit) {
        this.database = database;
        this.events = database.collection(Collections.EVENTS);
        this.audit = audit;
    }

    @Override
    public OutboxStatus status() {
        Instant now = database.now();
        return database.run("read the status of the outbox", session -> {
            long claimed = events.countDocuments(session, EventQueries.CLAIMED);
            long retrying = events.countDocuments(session, EventQueries.RETRYING);
            List<OutboxStatus.LaneStatus> lanes = lanes(session, now);
            List<OutboxStatus.RelayStatus> relays = relays(session, lanes, now);
            return new OutboxStatus(
                    now,
                    events.countDocuments(session, eq(EventFields.STATUS, EventFields.PENDING)) + claimed + retrying,
                    claimed,
                    retrying,
                    events.countDocuments(session, EventQueries.PARKED),
                    blockedKeys(session),
                    events.countDocuments(session, EventQueries.DEAD),
                    oldestAge(session, now),
                    relays.stream()
                            .mapToDouble(OutboxStatus.RelayStatus::publishedPerSecond)
                            .sum(),
                    relays,
                    lanes,
                    List.of());
        });
    }

    private long blockedKeys(ClientSession session) {
        Document counted = events.aggregate(
                        session,
                        List.of(
                                Aggregates.match(and(gt(EventFields.HELD_KEY, ""), ne(EventFields.PARKED, true))),
                                Aggregates.group("$" + EventFields.HELD_KEY),
                                Aggregates.count("keys")))
                .first();
        return counted == null ? 0 : EventDocuments.number(counted, "keys", 0);
    }

    private Duration oldestAge(ClientSession session, Instant now) {
        Duration oldest = Duration.ZERO;
        for (String status : List.of(EventFields.PENDING, EventFields.PROCESSING)) {
            Document first = events.find(session, eq(EventFields.STATUS, status))
                    .projection(include(EventFields.CREATED_AT))
                    .sort(ascending(EventFields.CREATED_AT))
                    .limit(1)
                    .first();
            oldest = longer(oldest, first, now);
        }
        Document retry = events.aggregate(
                        session,
                        List.of(
                                Aggregates.match(EventQueries.RETRYING),
                                Aggregates.group(
                                        "oldest",
                                        Accumulators.min(EventFields.CREATED_AT, "$" + EventFields.CREATED_AT))))
                .first();
        return longer(oldest, retry, now);
    }

    private static Duration longer(Duration oldest, @org.jspecify.annotations.Nullable Document event, Instant now) {
        if (event == null) {
            return oldest;
        }
        Duration age = EventDocuments.age(event, now);
        return age.compareTo(oldest) > 0 ? age : oldest;
    }

    private List<OutboxStatus.LaneStatus> lanes(ClientSession session, Instant now) {
        List<OutboxStatus.LaneStatus> statuses = new ArrayList<>();
        MongoCollection<Document> lanes = database.collection(Collections.LANES);
        for (Document lane : lanes.find(session).sort(ascending("_id")).into(new ArrayList<>())) {
            Instant expiry = EventDocuments.time(lane, LaneStore.EXPIRES_AT);
            boolean live = expiry != null && expiry.isAfter(now);
            Document first = events.find(session, ParkedEvents.pending(lane.getInteger("_id")))
                    .projection(include(EventFields.CREATED_AT))
                    .sort(ascending(EventFields.SEQ))
                    .limit(1)
                    .first();
            statuses.add(new OutboxStatus.LaneStatus(
                    lane.getInteger("_id"),
                    live ? EventDocuments.text(lane, LaneStore.OWNER) : "",
                    lane.getLong(LaneStore.FENCE),
                    expiry == null ? Duration.ZERO : Duration.between(now, expiry),
                    first != null,
                    longer(Duration.ZERO, first, now)));
        }
        return List.copyOf(statuses);
    }

    private List<OutboxStatus.RelayStatus> relays(
            ClientSession session, List<OutboxStatus.LaneStatus> lanes, Instant now) {
        List<OutboxStatus.RelayStatus> statuses = new ArrayList<>();
        Date shown = Date.from(now.minus(SHOWN_AFTER_EXPIRY));
        for (Document relay : database.collection(Collections.RELAYS)
                .find(session, gt(RelayFields.EXPIRES_AT, shown))
                .sort(ascending("_id"))) {
            String name = relay.getString("_id");
            boolean live = relay.getDate(RelayFields.EXPIRES_AT).toInstant().isAfter(now);
            statuses.add(new OutboxStatus.RelayStatus(
                    name,
                    EventDocuments.text(relay, RelayFields.PLACE),
                    EventDocuments.text(relay, RelayFields.VERSION),
                    relay.getDate(RelayFields.STARTED_AT).toInstant(),
                    Duration.between(relay.getDate(RelayFields.HEARTBEAT_AT).toInstant(), now),
                    live,
                    relay.getBoolean(RelayFields.SERVING, true),
                    (int) lanes.stream()
                            .filter(lane -> lane.owner().equals(name))
                            .count(),
                    relay.getLong(RelayFields.PUBLISHED_TOTAL),
                    live ? relay.getDouble(RelayFields.PUBLISHED_PER_SECOND) : 0));
        }
        return List.copyOf(statuses);
    }

    @Override
    public List<EventRecord> events(EventFilter filter, int limit) {
        Bson matching = EventQueries.matching(filter, database.now());
        int most = Math.max(1, Math.min(limit, LARGEST_PAGE));
        return database.call("list events", () -> {
            List<EventRecord> found = new ArrayList<>();
            read(and(EventQueries.OPEN, matching), ascending(EventFields.SEQ), most, found);
            read(and(EventQueries.DEAD, matching), ascending(EventFields.DEAD_AT, EventFields.SEQ), most, found);
            read(and(EventQueries.SETTLED, matching), descending(EventFields.SEQ), most, found);
            return List.copyOf(found);
        });
    }

    private void read(Bson filter, Bson order, int most, List<EventRecord> found) {
        if (found.size() < most) {
            events.find(filter)
                    .sort(order)
                    .limit(most - found.size())
                    .forEach(document -> found.add(EventQueries.record(document)));
        }
    }

    @Override
    public Optional<EventRecord> event(UUID id) {
        return database.call(
                "show event " + id,
                () -> Optional.ofNullable(events.find(eq(EventFields.EVENT_ID, id.toString()))
                                .first())
                        .map(EventQueries::record));
    }

    @Override
    public List<AuditEntry> history(UUID id) {
        return audit.history(id, new Document());
    }
}

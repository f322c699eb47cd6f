package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lte;

import com.mongodb.client.MongoCollection;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.Set;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Looks for lanes with work. */
public final class Arrivals {
    private final MongoTransactions database;
    private final MongoCollection<Document> events;
    private final ForeignEvents foreign;

    public Arrivals(MongoTransactions database) {
        this.database = database;
        this.events = database.collection(Collections.EVENTS);
        this.foreign = new ForeignEvents(database);
    }

    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        return database.call(
                "renew the leases of relay " + report.name(), () -> new Heartbeat(database, lease).send(report));
    }

    /** Gives lanes to the events that have none, and returns those of the lanes that have pending events or due retries. */
    public Set<Integer> ready(Collection<Integer> lanes) {
        foreign.number();
        if (lanes.isEmpty()) {
            return Set.of();
        }
        Date now = Date.from(database.now());
        return database.call("look for events", () -> {
            Set<Integer> ready = new HashSet<>();
            add(
                    ready,
                    EventFields.LANE,
                    and(
                            eq(EventFields.STATUS, EventFields.PENDING),
                            eq(EventFields.PARKED, false),
                            in(EventFields.LANE, lanes)));
            add(
                    ready,
                    EventFields.RETRY_LANE,
                    and(
                            in(EventFields.RETRY_LANE, lanes),
                            lte(EventFields.NEXT_ATTEMPT_AT, now),
                            in(EventFields.STATUS, EventFields.FAILED, EventFields.PENDING)));
            return ready;
        });
    }

    private void add(Set<Integer> ready, String field, Bson filter) {
        events.distinct(field, filter, Integer.class).into(ready);
    }
}

package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.exists;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.lte;
import static com.mongodb.client.model.Filters.or;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.client.MongoCollection;
import io.waybill.inbox.HeldEvent;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims the events of the inbox that are due. */
final class DueEvents {
    private static final Logger LOG = LoggerFactory.getLogger(MongoInbox.class);

    /** The clocks of two members may differ by this much after a failover. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    private final MongoTransactions database;
    private final MongoCollection<Document> held;

    DueEvents(MongoTransactions database) {
        this.database = database;
        this.held = database.collection(Collections.HELD);
    }

    private static Date date(Instant time) {
        return Date.from(time);
    }

    /**
     * Claims due events, each with an atomic update, so that no two consumers get the same one. A lock that ends later than a new one
     * would was taken before the clock was set back, and is ignored.
     */
    List<HeldEvent> claim(String group, int limit, Duration lease) {
        Instant now = database.now();
        Date locked = date(now.plus(lease));
        Bson due = and(
                eq(InboxFields.GROUP, group),
                lte(InboxFields.NEXT_ATTEMPT_AT, date(now)),
                or(
                        exists(InboxFields.LOCKED_UNTIL, false),
                        lte(InboxFields.LOCKED_UNTIL, date(now)),
                        gt(InboxFields.LOCKED_UNTIL, locked)));
        List<Document> found = held.find(due)
                .sort(ascending(InboxFields.NEXT_ATTEMPT_AT))
                .limit(limit)
                .into(new ArrayList<>());
        if (found.size() < limit) {
            undoClockStep(group, now);
        }
        List<HeldEvent> claimed = new ArrayList<>();
        for (Document event : found) {
            boolean waits = event.getString(InboxFields.STATE).equals(InboxFields.GAP)
                    && held.find(HeldEvents.ofKey(group, event.getString(InboxFields.ENTITY_ID)))
                                    .first()
                            != null;
            if (!waits
                    && held.updateOne(and(eq("_id", event.get("_id")), due), set(InboxFields.LOCKED_UNTIL, locked))
                                    .getMatchedCount()
                            == 1) {
                claimed.add(event(event, now));
            }
        }
        return claimed;
    }

    private static HeldEvent event(Document document, Instant now) {
        Date patience = document.getDate(InboxFields.PATIENCE_ENDS);
        return new HeldEvent(
                UUID.fromString(document.getString(InboxFields.EVENT_ID)),
                MessageDocuments.message(document),
                document.getInteger(InboxFields.ATTEMPTS),
                patience != null && !patience.toInstant().isAfter(now));
    }

    /**
     * Moves the times of held events back by as much as the clock was set back. An event that was scheduled before the new time keeps
     * its times; it becomes due at most one delay after the step. Two consumers may do this at once: each update repeats the time that
     * it replaces.
     */
    private void undoClockStep(String group, Instant now) {
        Bson ahead = and(eq(InboxFields.GROUP, group), gt(InboxFields.SCHEDULED_AT, date(now.plus(CLOCK_TOLERANCE))));
        List<Document> events = held.find(ahead).into(new ArrayList<>());
        Instant latest = now;
        for (Document event : events) {
            Instant scheduled = event.getDate(InboxFields.SCHEDULED_AT).toInstant();
            latest = scheduled.isAfter(latest) ? scheduled : latest;
        }
        Duration step = Duration.between(now, latest);
        for (Document event : events) {
            List<Bson> changes = new ArrayList<>();
            for (String field :
                    List.of(InboxFields.NEXT_ATTEMPT_AT, InboxFields.PATIENCE_ENDS, InboxFields.SCHEDULED_AT)) {
                Date time = event.getDate(field);
                if (time != null) {
                    changes.add(set(field, date(time.toInstant().minus(step))));
                }
            }
            held.updateOne(
                    and(
                            eq("_id", event.get("_id")),
                            eq(InboxFields.SCHEDULED_AT, event.getDate(InboxFields.SCHEDULED_AT))),
                    combine(changes));
        }
        if (!events.isEmpty()) {
            LOG.warn(
                    "The database's clock was set back by {} s or more; {} held events of group {} keep their delays",
                    step.toSeconds(),
                    events.size(),
                    group);
        }
    }
}

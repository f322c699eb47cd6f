package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.empty;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Filters.or;
import static com.mongodb.client.model.Filters.regex;

import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.regex.Pattern;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/** The states of events as queries, and events as records for operators. */
final class EventQueries {
    static final Bson WAITING = and(eq(EventFields.STATUS, EventFields.PENDING), ne(EventFields.PARKED, true));
    static final Bson PARKED = and(eq(EventFields.STATUS, EventFields.PENDING), eq(EventFields.PARKED, true));
    static final Bson CLAIMED = eq(EventFields.STATUS, EventFields.PROCESSING);
    static final Bson RETRYING = and(eq(EventFields.STATUS, EventFields.FAILED), gte(EventFields.RETRY_LANE, 0));
    static final Bson DEAD = gt(EventFields.DEAD_AT, Date.from(Instant.EPOCH));
    static final Bson DISCARDED = gt(EventFields.DISCARDED_AT, Date.from(Instant.EPOCH));
    private static final Bson PUBLISHED = eq(EventFields.STATUS, EventFields.PUBLISHED);

    static final Bson OPEN = or(in(EventFields.STATUS, EventFields.PENDING, EventFields.PROCESSING), RETRYING);
    static final Bson SETTLED = or(PUBLISHED, DISCARDED);

    private EventQueries() {}

    static Bson matching(EventFilter filter, Instant now) {
        List<Bson> conditions = new ArrayList<>();
        if (!filter.states().isEmpty()) {
            conditions.add(
                    or(filter.states().stream().map(EventQueries::inState).toList()));
        }
        if (filter.key() != null) {
            conditions.add(or(eq(EventFields.ENTITY_ID, filter.key()), eq(EventFields.PARTITION_KEY, filter.key())));
        }
        if (filter.type() != null) {
            conditions.add(ofType(filter.type()));
        }
        if (filter.olderThan() != null) {
            conditions.add(lt(EventFields.CREATED_AT, Date.from(now.minus(filter.olderThan()))));
        }
        if (filter.youngerThan() != null) {
            conditions.add(gt(EventFields.CREATED_AT, Date.from(now.minus(filter.youngerThan()))));
        }
        if (filter.topic() != null) {
            conditions.add(or(
                    eq(EventFields.TOPIC, filter.topic()),
                    and(eq(EventFields.TOPIC, null), eq(EventFields.EVENT_TYPE, filter.topic()))));
        }
        if (filter.error() != null) {
            conditions.add(regex(
                    EventFields.LAST_ERROR, Pattern.compile(Pattern.quote(filter.error()), Pattern.CASE_INSENSITIVE)));
        }
        if (filter.traceId() != null) {
            conditions.add(regex(
                    EventFields.HEADERS + ".traceparent",
                    Pattern.compile("-" + Pattern.quote(filter.traceId()) + "-")));
        }
        return conditions.isEmpty() ? empty() : and(conditions);
    }

    private static Bson ofType(String type) {
        return type.endsWith("*")
                ? regex(EventFields.EVENT_TYPE, "^" + Pattern.quote(type.substring(0, type.length() - 1)))
                : eq(EventFields.EVENT_TYPE, type);
    }

    private static Bson inState(EventState state) {
        return switch (state) {
            case PENDING -> or(WAITING, RETRYING);
            case CLAIMED -> CLAIMED;
            case PUBLISHED -> PUBLISHED;
            case PARKED -> PARKED;
            case DEAD_LETTER -> DEAD;
            case DISCARDED -> DISCARDED;
        };
    }

    static EventRecord record(Document document) {
        EventState state = state(document);
        Instant settled = firstTime(document, EventFields.PUBLISHED_AT, EventFields.DEAD_AT, EventFields.DISCARDED_AT);
        return new EventRecord(
                EventDocuments.event(document),
                state,
                Lanes.of(EventDocuments.key(document)),
                EventDocuments.position(document),
                EventDocuments.number(document, EventFields.RETRY_COUNT, 0),
                EventDocuments.createdAt(document),
                state == EventState.PENDING ? EventDocuments.time(document, EventFields.NEXT_ATTEMPT_AT) : null,
                document.getString(EventFields.LAST_ERROR),
                document.getString(EventFields.LOCKED_BY),
                EventDocuments.time(document, EventFields.LOCKED_UNTIL),
                settled);
    }

    private static @Nullable Instant firstTime(Document document, String... fields) {
        for (String field : fields) {
            Instant time = EventDocuments.time(document, field);
            if (time != null) {
                return time;
            }
        }
        return null;
    }

    private static EventState state(Document document) {
        if (document.containsKey(EventFields.DEAD_AT)) {
            return EventState.DEAD_LETTER;
        }
        if (document.containsKey(EventFields.DISCARDED_AT)) {
            return EventState.DISCARDED;
        }
        return switch (EventDocuments.text(document, EventFields.STATUS)) {
            case EventFields.PROCESSING -> EventState.CLAIMED;
            case EventFields.PUBLISHED -> EventState.PUBLISHED;
            default -> document.getBoolean(EventFields.PARKED, false) ? EventState.PARKED : EventState.PENDING;
        };
    }
}

package io.waybill.mongodb.internal.outbox;

import static io.waybill.mongodb.internal.outbox.EventFields.*;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.WriteModel;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.store.ClaimedEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * Events as documents.
 *
 * <p>A document that other software has written must always become an event, even if parts are missing or have another type: an
 * event that cannot be sent ends as a dead letter that operators can see, and an exception here would stop its lane.
 */
public final class EventDocuments {
    /** The number of retries after which the design of the collection gives up. The relay's own limit decides. */
    private static final int DEFAULT_MAX_RETRIES = 5;

    private static final UpdateOptions UPSERT = new UpdateOptions().upsert(true);

    /** Dates and ids become JSON strings, as JSON libraries write them. */
    private static final JsonWriterSettings JSON = JsonWriterSettings.builder()
            .outputMode(JsonMode.RELAXED)
            .dateTimeConverter((millis, writer) ->
                    writer.writeString(DateTimeFormatter.ISO_INSTANT.format(Instant.ofEpochMilli(millis))))
            .objectIdConverter((id, writer) -> writer.writeString(id.toHexString()))
            .decimal128Converter((number, writer) -> writer.writeNumber(number.toString()))
            .build();

    private EventDocuments() {}

    /**
     * Returns the write that inserts an event. It is an upsert that never finds a document, because only an update can set fields to the
     * time of the server.
     */
    public static WriteModel<Document> insert(Event event) {
        Instant occurred = event.occurredAt();
        Document fields = new Document(EVENT_ID, event.id().toString())
                .append(EVENT_TYPE, event.type())
                .append(ENTITY_TYPE, event.aggregateType())
                .append(ENTITY_ID, event.key())
                .append(
                        ENTITY_VERSION,
                        event.aggregateVersion().isPresent()
                                ? event.aggregateVersion().getAsLong()
                                : null)
                .append(TOPIC, event.topic().orElse(null))
                .append(PARTITION_KEY, event.key())
                .append(PAYLOAD, event.payload())
                .append(STATUS, PENDING)
                .append(RETRY_COUNT, 0)
                .append(MAX_RETRIES, DEFAULT_MAX_RETRIES)
                .append(LAST_ERROR, null)
                .append(LAST_ERROR_AT, null)
                .append(PROCESSING_STARTED_AT, null)
                .append(PUBLISHED_AT, null)
                .append(LOCKED_BY, null)
                .append(LOCKED_UNTIL, null)
                .append(EVENT_VERSION, event.version())
                .append(OCCURRED_AT, Date.from(occurred.truncatedTo(ChronoUnit.MILLIS)))
                .append(OCCURRED_MICROS, occurred.get(ChronoField.MICRO_OF_SECOND) % 1_000)
                .append(LANE, Lanes.of(event.key()))
                .append(PARKED, false)
                .append(CRASH_COUNT, 0);
        if (!event.headers().isEmpty()) {
            fields.append(HEADERS, headers(event));
        }
        return new UpdateOneModel<>(
                Filters.eq(ID, new ObjectId()),
                Updates.combine(
                        new Document("$setOnInsert", fields),
                        Updates.currentDate(CREATED_AT),
                        Updates.currentTimestamp(SEQ)),
                UPSERT);
    }

    /** A list of pairs, because the name of a header may contain characters with a meaning in the name of a field. */
    private static List<Document> headers(Event event) {
        List<Document> pairs = new ArrayList<>();
        event.headers().forEach((name, value) -> pairs.add(new Document("name", name).append("value", value)));
        return pairs;
    }

    static ClaimedEvent claimed(Document document, Instant now) {
        return new ClaimedEvent(
                event(document),
                position(document),
                number(document, RETRY_COUNT, 0),
                document.containsKey(RETRY_LANE),
                age(document, now));
    }

    static int crashes(Document document) {
        return number(document, CRASH_COUNT, 0);
    }

    public static long position(Document document) {
        return document.get(SEQ) instanceof BsonTimestamp seq ? seq.getValue() : 0;
    }

    /** Returns the time since the insert, or zero if the writer's clock is ahead. */
    static Duration age(Document document, Instant now) {
        Duration age = Duration.between(createdAt(document), now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    public static Instant createdAt(Document document) {
        Instant created = time(document, CREATED_AT);
        if (created != null) {
            return created;
        }
        return document.get(ID) instanceof ObjectId id ? id.getDate().toInstant() : Instant.EPOCH;
    }

    /** Returns the key that orders events: the partition key or, where the writer left it out, the entity's id. */
    public static String key(Document document) {
        String key = text(document, PARTITION_KEY);
        return key.isEmpty() ? text(document, ENTITY_ID) : key;
    }

    public static Event event(Document document) {
        Object content = document.get(PAYLOAD);
        Event.Builder event = Event.builder(text(document, EVENT_TYPE), text(document, ENTITY_TYPE), key(document))
                .id(id(document))
                .version(version(document, content))
                .payload(payload(content))
                .occurredAt(occurredAt(document, content));
        if (document.get(ENTITY_VERSION) instanceof Number version) {
            event.aggregateVersion(version.longValue());
        }
        if (!text(document, TOPIC).isEmpty()) {
            event.topic(text(document, TOPIC));
        }
        if (isEnvelope(content)) {
            event.header(Headers.ENVELOPE, "none");
        }
        return event.headers(headers(document.get(HEADERS))).restore();
    }

    /** A writer that follows the design of the collection stores the whole message, which is sent unchanged. */
    private static boolean isEnvelope(@Nullable Object content) {
        return content instanceof Document envelope
                && envelope.containsKey(EVENT_ID)
                && envelope.containsKey(EVENT_TYPE);
    }

    private static UUID id(Document document) {
        String text = text(document, EVENT_ID);
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException otherForm) {
            return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static int version(Document document, @Nullable Object content) {
        int inEnvelope = content instanceof Document envelope ? number(envelope, "schema_version", 1) : 1;
        return number(document, EVENT_VERSION, inEnvelope);
    }

    private static Instant occurredAt(Document document, @Nullable Object content) {
        Instant occurred = time(document, OCCURRED_AT);
        if (occurred == null && content instanceof Document envelope) {
            occurred = time(envelope, OCCURRED_AT);
        }
        return occurred == null
                ? createdAt(document)
                : occurred.plus(number(document, OCCURRED_MICROS, 0), ChronoUnit.MICROS);
    }

    private static String payload(@Nullable Object content) {
        if (content instanceof Document json) {
            return json.toJson(JSON);
        }
        return content == null ? "" : content.toString();
    }

    private static Map<String, String> headers(@Nullable Object stored) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (stored instanceof Document pairs) {
            pairs.forEach((name, value) -> headers.put(name, String.valueOf(value)));
        } else if (stored instanceof List<?> list) {
            for (Object entry : list) {
                if (entry instanceof Document pair) {
                    headers.put(text(pair, "name"), text(pair, "value"));
                }
            }
        }
        return headers;
    }

    /** Returns the text of a field, or an empty text if the field is absent. */
    public static String text(Document document, String field) {
        Object value = document.get(field);
        return value == null ? "" : value.toString();
    }

    public static int number(Document document, String field, int absent) {
        return document.get(field) instanceof Number value ? value.intValue() : absent;
    }

    public static @Nullable Instant time(Document document, String field) {
        return document.get(field) instanceof Date date ? date.toInstant() : null;
    }
}

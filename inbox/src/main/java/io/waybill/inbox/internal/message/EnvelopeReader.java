package io.waybill.inbox.internal.message;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.inbox.PoisonException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.internal.StorableText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the JSON envelope, and envelopes with other names for the same fields ({@code id} or {@code event_id} for {@code eventId}, {@code
 * payload} for {@code data}, …). Unknown fields are ignored; missing fields are taken from the headers. The payload is kept character by
 * character.
 */
public final class EnvelopeReader {
    private static final String ENTITY_ID = "entity_id";

    /**
     * The broker limits the size of a message, and thereby the length of its strings. Nesting needs a separate limit: a megabyte of
     * brackets would cause a {@code StackOverflowError} in the handler or in the database. A number of a thousand digits is valid.
     */
    static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(500)
                    .maxNameLength(50_000)
                    .maxNumberLength(10_000)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    /** The names of an envelope in snake case, and the names that stand for the same fields here. */
    private static final Map<String, String> SNAKE_CASE = Map.of(
            "event_id",
            "eventId",
            "event_type",
            "eventType",
            "entity_type",
            "aggregateType",
            ENTITY_ID,
            "aggregateId",
            "entity_version",
            "aggregateVersion",
            "schema_version",
            "version",
            "occurred_at",
            "occurredAt",
            "correlation_id",
            "correlationId",
            "causation_id",
            "causationId",
            "producer",
            "source");

    private EnvelopeReader() {}

    /** @throws PoisonException if the message is not a valid event */
    public static Event read(ReceivedMessage message) {
        Map<String, String> fields = new HashMap<>();
        String text = decode(message.value());
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new PoisonException("The message is not a JSON object.");
            }
            object(parser, text, "", fields);
            if (parser.nextToken() != null) {
                throw new PoisonException("The message has content after its JSON object.");
            }
        } catch (StreamConstraintsException e) {
            throw new PoisonException(
                    "The message is nested too deeply or has a number or name that is too long: "
                            + e.getOriginalMessage(),
                    e);
        } catch (JacksonException e) {
            throw new PoisonException("The message is not JSON: " + e.getOriginalMessage() + ".", e);
        }
        return event(message, fields);
    }

    private static String decode(byte[] value) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new PoisonException("The message is not valid UTF-8.", e);
        }
    }

    private static void object(JsonParser parser, String text, String prefix, Map<String, String> fields) {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = prefix + parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals("data") || name.equals("payload")) {
                fields.put(name, raw(parser, value, text));
            } else if (name.equals("metadata") && value == JsonToken.START_OBJECT) {
                object(parser, text, "metadata.", fields);
            } else if (value.isStructStart()) {
                parser.skipChildren();
            } else if (value != JsonToken.VALUE_NULL) {
                String content = parser.getString();
                fields.put(name, content);
                String other = SNAKE_CASE.get(name);
                if (other != null) {
                    fields.putIfAbsent(other, content);
                }
            }
        }
    }

    private static String raw(JsonParser parser, JsonToken value, String text) {
        int start = (int) parser.currentTokenLocation().getCharOffset();
        if (value.isStructStart()) {
            parser.skipChildren();
        } else if (value != JsonToken.VALUE_STRING) {
            return parser.getString();
        } else if (parser.getString().isEmpty()) { // reads the string to its end
            return "\"\"";
        }
        return text.substring(start, (int) parser.currentLocation().getCharOffset());
    }

    private static Event event(ReceivedMessage message, Map<String, String> fields) {
        Map<String, String> headers = message.headers();
        String source = first(fields.get("source"), headers.get(Headers.SOURCE), "");
        UUID id = id(
                first(fields.get("eventId"), fields.get("id"), headers.get(Headers.EVENT_ID)), message.topic(), source);
        String type =
                required("type", first(fields.get("eventType"), fields.get("type"), headers.get(Headers.EVENT_TYPE)));
        String aggregate = first(headers.get(Headers.AGGREGATE_TYPE), fields.get("aggregateType"), "");
        // The key of a message may be a partition key, which several entities share. Versions belong to an entity.
        String entity = first(headers.get(Headers.ENTITY_ID), fields.get(ENTITY_ID), message.key());
        String key = first(entity, fields.get("aggregateId"), id.toString());
        Event.Builder event = Event.builder(type, storable("aggregate type", aggregate), storable("key", key))
                .id(id)
                .topic(message.topic())
                .version(version(fields.get("version")))
                .payload(first(fields.get("data"), fields.get("payload"), "null"))
                .occurredAt(time(first(fields.get("timestamp"), fields.get("occurredAt"), "")));
        String version = first(headers.get(Headers.AGGREGATE_VERSION), fields.get("aggregateVersion"), "");
        number(version).ifPresent(event::aggregateVersion);
        metadata(event, Headers.SOURCE, fields.get("source"));
        metadata(
                event,
                Headers.CORRELATION_ID,
                first(fields.get("metadata.correlationId"), fields.get("correlationId"), ""));
        metadata(event, Headers.CAUSATION_ID, first(fields.get("metadata.causationId"), fields.get("causationId"), ""));
        metadata(event, Headers.IDEMPOTENCY_KEY, fields.get("metadata.idempotencyKey"));
        metadata(event, Headers.USER_ID, fields.get("metadata.userId"));
        return event.headers(headers).restore();
    }

    private static void metadata(Event.Builder event, String header, @Nullable String value) {
        if (value != null && !value.isEmpty() && StorableText.isStorable(value)) {
            event.header(header, value);
        }
    }

    /**
     * An id that is not a UUID is unique only within its topic and source: order 42 is not payment 42. The derived UUID is always the
     * same, even if the message returns through the dead-letter topic.
     */
    private static UUID id(String text, String topic, String source) {
        if (text.isBlank()) {
            throw new PoisonException("The message has no event id, neither as eventId nor in the header event-id.");
        }
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            String origin = topic.endsWith(DeadLetterMessage.TOPIC_SUFFIX)
                    ? topic.substring(0, topic.length() - DeadLetterMessage.TOPIC_SUFFIX.length())
                    : topic;
            String name = origin.length() + " " + origin + source.length() + " " + source + text;
            return UUID.nameUUIDFromBytes(("waybill event " + name).getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String required(String what, String text) {
        if (text.isBlank()) {
            throw new PoisonException("The message has no event " + what + ".");
        }
        return storable(what, text);
    }

    private static String storable(String what, String text) {
        if (!StorableText.isStorable(text)) {
            throw new PoisonException(
                    "The event's " + what + " contains a NUL or an unpaired surrogate, which databases cannot store.");
        }
        return text;
    }

    private static int version(@Nullable String text) {
        long version = number(text).orElse(1L);
        return version == (int) version ? (int) version : 1;
    }

    private static Optional<Long> number(@Nullable String text) {
        try {
            return text == null || text.isEmpty() ? Optional.empty() : Optional.of(Long.valueOf(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Instant time(String text) {
        try {
            return text.isEmpty() ? Instant.now() : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return Instant.now();
        }
    }

    private static String first(@Nullable String a, @Nullable String b, @Nullable String c) {
        return a != null && !a.isBlank() ? a : b != null && !b.isBlank() ? b : c == null ? "" : c;
    }
}

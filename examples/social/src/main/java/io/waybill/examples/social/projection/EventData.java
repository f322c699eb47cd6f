package io.waybill.examples.social.projection;

import io.waybill.Event;
import io.waybill.inbox.PermanentException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The data of an event, field by field. Fields that a consumer does not read are ignored, so producers can add optional fields.
 *
 * <p>A required field that is missing or has another type makes the event a dead letter at once, because a retry cannot cure it.
 */
final class EventData {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Event event;
    private final JsonNode data;
    private final String path;

    private EventData(Event event, JsonNode data, String path) {
        this.event = event;
        this.data = data;
        this.path = path;
    }

    static EventData of(Event event) {
        try {
            return new EventData(event, JSON.readTree(event.payload()), "");
        } catch (JacksonException e) {
            throw new PermanentException("The data of event " + event + " is not JSON. Correct the producer.", e);
        }
    }

    /** The id of the entity. */
    String entityId() {
        return event.key();
    }

    /** The version of the entity after the change. */
    long entityVersion() {
        return event.aggregateVersion().orElseThrow(() -> rejected("entity_version", "is missing from its envelope"));
    }

    Instant occurredAt() {
        return event.occurredAt();
    }

    String text(String field) {
        JsonNode value = required(field);
        if (!value.isString()) {
            throw rejected(field, "is not a text");
        }
        return value.asString();
    }

    boolean has(String field) {
        JsonNode value = data.get(field);
        return value != null && !value.isNull();
    }

    Optional<String> optionalText(String field) {
        return has(field) ? Optional.of(text(field)) : Optional.empty();
    }

    /** An amount or a count, zero or more. */
    long count(String field) {
        JsonNode value = required(field);
        if (!value.canConvertToLong() || !value.isIntegralNumber()) {
            throw rejected(field, "is not a whole number");
        }
        if (value.asLong() < 0) {
            throw rejected(field, "is negative");
        }
        return value.asLong();
    }

    Instant time(String field) {
        try {
            return Instant.parse(text(field));
        } catch (DateTimeException e) {
            throw rejected(field, "is not a time in UTC, such as 2026-01-31T12:00:00Z");
        }
    }

    List<EventData> list(String field) {
        JsonNode value = required(field);
        if (!value.isArray()) {
            throw rejected(field, "is not a list");
        }
        List<EventData> elements = new ArrayList<>();
        value.forEach(element -> elements.add(new EventData(event, element, path + field + "[].")));
        return elements;
    }

    /** Returns the given text fields as a document. */
    Document texts(String... fields) {
        Document texts = new Document();
        for (String field : fields) {
            texts.put(field, text(field));
        }
        return texts;
    }

    /** The value of a field as JSON text; null if the field is missing. */
    @Nullable
    String json(String field) {
        JsonNode value = data.get(field);
        return value == null ? null : value.toString();
    }

    private JsonNode required(String field) {
        JsonNode value = data.get(field);
        if (value == null || value.isNull()) {
            throw rejected(field, "is missing");
        }
        return value;
    }

    private PermanentException rejected(String field, String problem) {
        return new PermanentException("The required field " + path + field + " of event " + event + " (schema version "
                + event.version() + ") " + problem
                + ". A schema may add optional fields, but must not remove, rename or retype fields. Correct the producer,"
                + " or deploy a consumer that does not need the field and replay the dead letter.");
    }
}

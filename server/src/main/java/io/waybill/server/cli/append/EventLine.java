package io.waybill.server.cli.append;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.config.Sizes;
import io.waybill.server.config.Suggestion;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Parses one event from a JSON object. Copies the payload from the text, which preserves number formats and key order. */
final class EventLine {
    private static final List<String> FIELDS = List.of(
            "id",
            "type",
            "aggregateType",
            "key",
            "payload",
            "headers",
            "topic",
            "version",
            "aggregateVersion",
            "occurredAt");

    private final String text;
    private final int maxPayload;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Map<String, String> headers = new LinkedHashMap<>();

    EventLine(String text, int maxPayload) {
        this.text = text;
        this.maxPayload = maxPayload;
    }

    Event parse() {
        try (JsonParser parser = Json.MAPPER.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new WaybillException("not a JSON object. Each line is one event, such as"
                        + " {\"type\":\"order.placed\",\"aggregateType\":\"Order\",\"key\":\"42\",\"payload\":{}}.");
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                field(parser);
            }
            if (parser.nextToken() != null) {
                throw new WaybillException("more than one JSON value. Write one event per line.");
            }
        } catch (JacksonException e) {
            throw new WaybillException("not valid JSON: " + PayloadText.reason(e) + ".", e);
        }
        return event();
    }

    private void field(JsonParser parser) {
        String name = parser.currentName();
        if (!FIELDS.contains(name)) {
            throw new WaybillException("unknown field '" + TerminalText.cut(name, 60) + "'."
                    + Suggestion.sentence(name, FIELDS) + " Known: " + String.join(", ", FIELDS) + ".");
        }
        if (values.containsKey(name)) {
            throw new WaybillException("field '" + name + "' is repeated.");
        }
        JsonToken token = parser.nextToken();
        if (name.equals("payload")) {
            values.put(name, payload(parser));
        } else if (name.equals("headers")) {
            values.put(name, "");
            headers(parser, token);
        } else if (token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT) {
            values.put(name, parser.getString());
        } else if (token != JsonToken.VALUE_NULL) {
            throw new WaybillException("field '" + name + "' must be a string or a whole number.");
        }
    }

    private String payload(JsonParser parser) {
        int start = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        int end = (int) parser.currentLocation().getCharOffset();
        String payload = text.substring(start, end).strip();
        int bytes = payload.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > maxPayload) {
            throw new WaybillException("the payload has " + bytes + " bytes. The limit is " + Sizes.print(maxPayload)
                    + " (outbox.max-payload).");
        }
        return payload;
    }

    private void headers(JsonParser parser, JsonToken token) {
        if (token == JsonToken.VALUE_NULL) {
            return;
        }
        if (token != JsonToken.START_OBJECT) {
            throw new WaybillException("field 'headers' must be an object of strings.");
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            if (!parser.nextToken().isScalarValue() || parser.currentToken() == JsonToken.VALUE_NULL) {
                throw new WaybillException("header '" + TerminalText.cut(name, 60) + "' must be a string.");
            }
            headers.put(name, parser.getString());
        }
    }

    private Event event() {
        Event.Builder event = Event.builder(required("type"), required("aggregateType"), required("key"))
                .payload(values.getOrDefault("payload", "{}"))
                .headers(headers);
        try {
            String id = values.get("id");
            if (id != null) {
                event.id(UUID.fromString(id));
            }
            String version = values.get("version");
            if (version != null) {
                event.version(Integer.parseInt(version));
            }
            String aggregateVersion = values.get("aggregateVersion");
            if (aggregateVersion != null) {
                event.aggregateVersion(Long.parseLong(aggregateVersion));
            }
            String occurredAt = values.get("occurredAt");
            if (occurredAt != null) {
                event.occurredAt(Instant.parse(occurredAt));
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new WaybillException(
                    "id must be a UUID, version and aggregateVersion whole numbers, occurredAt a time"
                            + " such as 2026-01-31T12:00:00Z: " + e.getMessage() + ".",
                    e);
        }
        @Nullable String topic = values.get("topic");
        if (topic != null) {
            event.topic(topic);
        }
        return event.build();
    }

    private String required(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new WaybillException("field '" + name + "' is missing. An event needs type, aggregateType and key.");
        }
        return value;
    }
}

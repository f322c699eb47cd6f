package io.waybill.server.http.json;

import io.waybill.Event;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Events as JSON, for the command line and for HTTP. Scripts rely on the field names. */
public final class EventJson {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private EventJson() {}

    /** The event without headers and payload. */
    public static ObjectNode of(EventRecord entry) {
        Event event = entry.event();
        ObjectNode json = JSON.createObjectNode();
        json.put("id", event.id().toString());
        json.put("state", entry.state().name());
        json.put("type", event.type());
        json.put("version", event.version());
        json.put("aggregateType", event.aggregateType());
        json.put("key", event.key());
        json.put(
                "aggregateVersion",
                event.aggregateVersion().isPresent() ? event.aggregateVersion().getAsLong() : null);
        json.put("topic", event.destination());
        json.put("lane", entry.lane());
        json.put("position", entry.position());
        json.put("retryCount", entry.retryCount());
        json.put("occurredAt", event.occurredAt().toString());
        json.put("createdAt", entry.createdAt().toString());
        json.put("nextAttemptAt", text(entry.nextAttemptAt()));
        json.put("lastError", entry.lastError());
        json.put("lockedBy", entry.lockedBy());
        json.put("lockedUntil", text(entry.lockedUntil()));
        json.put("settledAt", text(entry.settledAt()));
        return json;
    }

    /** Adds what operators decided about the event. */
    public static void history(ObjectNode json, List<AuditEntry> history) {
        ArrayNode actions = json.putArray("history");
        for (AuditEntry action : history) {
            actions.addObject()
                    .put("at", action.at().toString())
                    .put("actor", action.actor())
                    .put("action", action.action())
                    .put("reason", action.reason())
                    .put("events", action.events());
        }
    }

    /** Whether a text is exactly one JSON value. */
    public static boolean isJson(String text) {
        try (var parser = JSON.createParser(text)) {
            if (parser.nextToken() == null) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }
}

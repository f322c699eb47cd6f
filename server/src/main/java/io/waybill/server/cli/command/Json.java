package io.waybill.server.cli.command;

import io.waybill.Event;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventRecord;
import io.waybill.server.problem.Exit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** Events as JSON. Scripts rely on the field names. */
public final class Json {
    public static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** An error as one line of JSON. */
    public static String error(String message, Exit exit) {
        return TerminalText.escapeJson(
                object().put("error", message).put("exitCode", exit.code()).toString());
    }

    public static ObjectNode event(EventRecord entry) {
        Event event = entry.event();
        ObjectNode json = object();
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

    /** The event with headers, payload and history, which lists omit. */
    public static ObjectNode detailed(EventRecord entry, List<AuditEntry> history) {
        ObjectNode json = event(entry);
        ObjectNode headers = json.putObject("headers");
        entry.event().headers().forEach(headers::put);
        payload(json, "payload", entry.event().payload());
        history(json, history);
        return json;
    }

    /** Adds what operators decided about the event. */
    public static void history(ObjectNode json, List<AuditEntry> history) {
        var actions = json.putArray("history");
        for (AuditEntry action : history) {
            actions.addObject()
                    .put("at", action.at().toString())
                    .put("actor", action.actor())
                    .put("action", action.action())
                    .put("reason", action.reason())
                    .put("events", action.events());
        }
    }

    /** Adds the text unchanged if it is JSON, otherwise as a string. The output is always valid JSON. */
    public static void payload(ObjectNode json, String name, String text) {
        if (isJson(text)) {
            json.putRawValue(name, new RawValue(text));
        } else {
            json.put(name, text);
        }
    }

    private static boolean isJson(String text) {
        try (var parser = MAPPER.createParser(text)) {
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

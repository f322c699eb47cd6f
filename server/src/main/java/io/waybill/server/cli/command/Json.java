package io.waybill.server.cli.command;

import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventRecord;
import io.waybill.server.http.json.EventJson;
import io.waybill.server.problem.Exit;
import java.util.List;
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
        return EventJson.of(entry);
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
        EventJson.history(json, history);
    }

    /** Adds the text unchanged if it is JSON, otherwise as a string. The output is always valid JSON. */
    public static void payload(ObjectNode json, String name, String text) {
        if (EventJson.isJson(text)) {
            json.putRawValue(name, new RawValue(text));
        } else {
            json.put(name, text);
        }
    }
}

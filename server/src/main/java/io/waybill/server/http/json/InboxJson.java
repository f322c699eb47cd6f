package io.waybill.server.http.json;

import io.waybill.admin.AuditEntry;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxStatus;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Consumer groups and their dead letters as JSON. Scripts rely on the field names. */
public final class InboxJson {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private InboxJson() {}

    public static ObjectNode status(InboxStatus status) {
        return JSON.createObjectNode()
                .put("group", status.group())
                .put("retrying", status.retrying())
                .put("parked", status.parked())
                .put("deadLetters", status.deadLetters())
                .put("oldestAgeSeconds", status.oldestAge().toMillis() / 1_000.0)
                .put(
                        "lastProcessedAt",
                        status.lastProcessedAt() == null
                                ? null
                                : status.lastProcessedAt().toString())
                .put("pausedConsumers", status.pausedConsumers())
                .put(
                        "pausedSince",
                        status.pausedSince() == null
                                ? null
                                : status.pausedSince().toString())
                .put("pauseReason", status.pauseReason());
    }

    public static ObjectNode letter(DeadLetter letter) {
        return JSON.createObjectNode()
                .put("group", letter.group())
                .put("eventId", letter.eventId().toString())
                .put("eventType", letter.eventType())
                .put("entity", letter.qualifiedKey())
                .put("topic", letter.message().topic())
                .put("partition", letter.message().partition())
                .put("offset", letter.message().offset())
                .put("key", letter.message().key())
                .put("attempts", letter.attempts())
                .put("errorClass", letter.errorClass())
                .put("error", letter.error())
                .put("failedAt", letter.failedAt().toString());
    }

    /** The dead letter with headers and history, and without its message. */
    public static ObjectNode withHeaders(DeadLetter letter, List<AuditEntry> history) {
        ObjectNode json = letter(letter);
        ObjectNode headers = json.putObject("headers");
        letter.message().headers().forEach(headers::put);
        EventJson.history(json, history);
        return json;
    }

    /** The message as text if it is valid UTF-8, otherwise as base64. */
    public static String text(byte[] value) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException e) {
            return "base64:" + Base64.getEncoder().encodeToString(value);
        }
    }
}

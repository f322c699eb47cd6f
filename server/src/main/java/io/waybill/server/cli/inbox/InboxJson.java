package io.waybill.server.cli.inbox;

import io.waybill.admin.AuditEntry;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxStatus;
import io.waybill.server.cli.command.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Consumer groups and their dead letters as JSON. Scripts rely on the field names. */
final class InboxJson {
    private InboxJson() {}

    static ObjectNode status(InboxStatus status) {
        return Json.object()
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

    static ObjectNode letter(DeadLetter letter) {
        return Json.object()
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

    static ObjectNode detailed(DeadLetter letter, List<AuditEntry> history) {
        ObjectNode json = letter(letter);
        ObjectNode headers = json.putObject("headers");
        letter.message().headers().forEach(headers::put);
        Json.payload(json, "originalEvent", text(letter.message().value()));
        Json.history(json, history);
        return json;
    }

    /** The message as text if it is valid UTF-8, otherwise as base64. */
    static String text(byte[] value) {
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

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

/** Inboxes as JSON. The field names are a contract: scripts read them. */
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
                .put("entity", letter.entity())
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
        var actions = json.putArray("history");
        for (AuditEntry action : history) {
            actions.addObject()
                    .put("at", action.at().toString())
                    .put("actor", action.actor())
                    .put("action", action.action())
                    .put("reason", action.reason())
                    .put("events", action.events());
        }
        return json;
    }

    /** The message as text; one that is no text as base64. */
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

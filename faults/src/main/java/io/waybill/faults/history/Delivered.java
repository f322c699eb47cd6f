package io.waybill.faults.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.Headers;
import java.util.Map;
import java.util.UUID;

/**
 * A record of the topic. Deliveries of one key are compared in list order.
 *
 * @param payload its {@link BigPayload#summary}
 */
public record Delivered(UUID id, String key, String payload, Map<String, String> headers) {

    /** Converts messages that a plain client read from any broker. */
    public static Delivered of(String key, Map<String, String> headers, byte[] body) {
        UUID id = UUID.fromString(headers.getOrDefault(Headers.EVENT_ID, new UUID(0, 0).toString()));
        return new Delivered(id, key, BigPayload.summary(payload(new String(body, UTF_8))), headers);
    }

    /** Extracts the payload from the envelope without parsing it, because parsing and printing could hide a change. */
    private static String payload(String envelope) {
        int start = envelope.indexOf("\"data\":");
        int end = envelope.lastIndexOf(",\"metadata\":");
        return start < 0 || end < start ? envelope : envelope.substring(start + 7, end);
    }
}

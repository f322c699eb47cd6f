package io.waybill.envelope;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sends payload and headers unchanged, except for the headers that are meant for the relay. */
final class NoEnvelope implements Envelope {
    @Override
    public Message seal(Event event) {
        event.headers().forEach(StandardEnvelope::requireUnicode);
        return new Message(
                event.id(),
                event.destination(),
                event.partitionKey(),
                event.payload().getBytes(StandardCharsets.UTF_8),
                onTheWire(event.headers()));
    }

    private static Map<String, String> onTheWire(Map<String, String> headers) {
        if (!headers.containsKey(Headers.PARTITION_KEY) && !headers.containsKey(Headers.MAX_ATTEMPTS)) {
            return headers;
        }
        Map<String, String> wire = new LinkedHashMap<>(headers);
        wire.remove(Headers.PARTITION_KEY);
        wire.remove(Headers.MAX_ATTEMPTS);
        return Collections.unmodifiableMap(wire);
    }
}

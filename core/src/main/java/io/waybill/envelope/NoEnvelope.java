package io.waybill.envelope;

import io.waybill.Event;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;

/** Sends payload and headers unchanged, without additions. */
final class NoEnvelope implements Envelope {
    @Override
    public Message seal(Event event) {
        event.headers().forEach(StandardEnvelope::requireUnicode);
        return new Message(
                event.id(),
                event.destination(),
                event.key(),
                event.payload().getBytes(StandardCharsets.UTF_8),
                event.headers());
    }
}

package io.waybill.spring;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.transport.Message;

/**
 * Wraps events into the standard envelope, {@code {eventId, timestamp, eventType, version, source, data, metadata}}, as the relay
 * sends them. An {@link Envelope} bean of your own replaces it.
 */
public final class EventEnvelopeBuilder implements Envelope {
    private final Envelope standard;

    /** @param source name of the service in its events */
    public EventEnvelopeBuilder(String source) {
        this.standard = Envelope.standard(source);
    }

    @Override
    public Message seal(Event event) {
        return standard.seal(event);
    }
}

package io.waybill.envelope;

import io.waybill.Event;
import io.waybill.transport.Message;

/** The format of an event on the wire. A pure function: equal events produce equal messages. */
public interface Envelope {
    Message seal(Event event);

    /**
     * The default: {@code {eventId, timestamp, eventType, version, source, data, metadata}}.
     *
     * @param source name of the service that owns the outbox; the {@code source} header of an event takes precedence
     */
    static Envelope standard(String source) {
        return new StandardEnvelope(source);
    }

    /** No envelope: the message consists of the payload and the headers of the event. For consumers that expect such messages. */
    static Envelope none() {
        return new NoEnvelope();
    }
}

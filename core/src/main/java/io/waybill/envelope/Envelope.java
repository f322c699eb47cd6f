package io.waybill.envelope;

import io.waybill.Event;
import io.waybill.transport.Message;

/** The shape of an event on the wire. Pure: the same event always gives the same message. */
public interface Envelope {
    Message seal(Event event);

    /**
     * The default: {@code {eventId, timestamp, eventType, version, source, data, metadata}}.
     *
     * @param source name of the service whose outbox this is; an event's {@code source} header wins
     */
    static Envelope standard(String source) {
        return new StandardEnvelope(source);
    }

    /** None: the message is the event's payload, and its headers are the event's own. For consumers that know no other shape. */
    static Envelope none() {
        return new NoEnvelope();
    }
}

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

    /**
     * {@code {event_id, event_type, entity_type, entity_id, entity_version, occurred_at, trace_id, correlation_id, producer, actor,
     * schema_version, privacy_tier, data}}. The headers {@code user-id}, {@code actor-type} and {@code privacy-tier} of an event set the
     * fields of the same meaning; an event without them comes from the actor {@code SYSTEM} and is {@code internal}.
     *
     * @param producer name of the service that owns the outbox; the {@code source} header of an event takes precedence
     */
    static Envelope snakeCase(String producer) {
        return new SnakeCaseEnvelope(producer);
    }

    /** No envelope: the message consists of the payload and the headers of the event. For consumers that expect such messages. */
    static Envelope none() {
        return new NoEnvelope();
    }
}

package io.waybill;

/** Header names with a special meaning. All other headers are passed on unchanged. */
public final class Headers {
    /** W3C trace context of the request that caused the event. */
    public static final String TRACEPARENT = "traceparent";

    /** W3C trace state: what tracing systems add to {@link #TRACEPARENT}. */
    public static final String TRACESTATE = "tracestate";

    /** Identifies all events of one business operation. */
    public static final String CORRELATION_ID = "correlation-id";

    /** Id of the event that caused this one. */
    public static final String CAUSATION_ID = "causation-id";

    public static final String IDEMPOTENCY_KEY = "idempotency-key";

    public static final String USER_ID = "user-id";

    /** The service that wrote the event, if it differs from the source of the relay. */
    public static final String SOURCE = "source";

    /** On the wire only: the event's id. */
    public static final String EVENT_ID = "event-id";

    /** On the wire only: the event's type. */
    public static final String EVENT_TYPE = "event-type";

    /** On the wire only: the type of the aggregate. */
    public static final String AGGREGATE_TYPE = "aggregate-type";

    /** On the wire only, and only with brokers without message keys: the key of the event. */
    public static final String AGGREGATE_ID = "aggregate-id";

    /**
     * On the wire only: the version of the aggregate after the change. The standard envelope removes a header of this name that the
     * writer has set. Events without an envelope keep it.
     */
    public static final String AGGREGATE_VERSION = "aggregate-version";

    /** Not on the wire: {@code none} sends the payload without an envelope. */
    public static final String ENVELOPE = "envelope";

    /** Not on the wire: the key of the message, see {@link Event#partitionKey()}. */
    public static final String PARTITION_KEY = "partition-key";

    /** Not on the wire: the limit of attempts, see {@link Event#maxAttempts()}. */
    public static final String MAX_ATTEMPTS = "max-attempts";

    /** On the wire only: the key of the event, if the message has another key. */
    public static final String ENTITY_ID = "entity-id";

    private Headers() {}
}

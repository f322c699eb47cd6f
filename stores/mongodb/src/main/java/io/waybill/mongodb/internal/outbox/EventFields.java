package io.waybill.mongodb.internal.outbox;

/** The fields of an event's document. */
public final class EventFields {
    // Written by the writer.
    static final String ID = "_id";
    public static final String EVENT_ID = "event_id";
    public static final String EVENT_TYPE = "event_type";
    public static final String ENTITY_TYPE = "entity_type";
    public static final String ENTITY_ID = "entity_id";
    public static final String ENTITY_VERSION = "entity_version";
    public static final String TOPIC = "topic";
    public static final String PARTITION_KEY = "partition_key";
    public static final String PAYLOAD = "payload";
    public static final String CREATED_AT = "created_at";

    // The state, as the design of the collection names it.
    public static final String STATUS = "status";
    public static final String PENDING = "pending";
    public static final String PROCESSING = "processing";
    public static final String PUBLISHED = "published";
    public static final String FAILED = "failed";
    public static final String RETRY_COUNT = "retry_count";
    public static final String MAX_RETRIES = "max_retries";
    public static final String LAST_ERROR = "last_error";
    public static final String LAST_ERROR_AT = "last_error_at";
    public static final String PROCESSING_STARTED_AT = "processing_started_at";
    public static final String PUBLISHED_AT = "published_at";
    public static final String LOCKED_BY = "locked_by";
    public static final String LOCKED_UNTIL = "locked_until";

    // Waybill's own fields. A writer may leave out all of them.
    public static final String EVENT_VERSION = "event_version";
    public static final String HEADERS = "headers";
    public static final String OCCURRED_AT = "occurred_at";

    /** The microseconds that a date of MongoDB cannot hold. */
    static final String OCCURRED_MICROS = "occurred_micros";

    /** See {@link Lanes}. */
    public static final String LANE = "lane";

    /** The order of the events: a timestamp that the server assigns. */
    public static final String SEQ = "seq";

    /** Whether the event waits behind a held event of its key. */
    public static final String PARKED = "parked";

    static final String CRASH_COUNT = "crash_count";

    /** The key, while this event holds back later events of it; otherwise absent. */
    public static final String HELD_KEY = "held_key";

    /** The lane, while {@link #NEXT_ATTEMPT_AT} is set; otherwise absent. */
    public static final String RETRY_LANE = "retry_lane";

    public static final String NEXT_ATTEMPT_AT = "next_attempt_at";

    /** Present while the event is a dead letter. */
    public static final String DEAD_AT = "dead_at";

    public static final String DISCARDED_AT = "discarded_at";

    private EventFields() {}
}

package io.waybill.mongodb.inbox;

/** The fields of the inbox's documents. */
final class InboxFields {
    static final String GROUP = "consumer_group";
    static final String EVENT_ID = "event_id";
    static final String EVENT_TYPE = "event_type";
    static final String SOURCE = "source";
    static final String ENTITY_ID = "entity_id";
    static final String ENTITY_VERSION = "entity_version";
    static final String PROCESSED_AT = "processed_at";

    /** PROCESSED, STALE (a later version came first), DEAD_LETTERED (waits for an operator) or DISCARDED (by an operator). */
    static final String OUTCOME = "outcome";

    static final String VERSION = "version";

    /** Counts writes that only make concurrent transactions conflict. */
    static final String TOUCHED = "touched";

    /** The order within an entity: a timestamp that the server assigns. */
    static final String POSITION = "position";

    /** RETRY: failed. PARKED: behind an earlier event of its entity. GAP: waits for the previous version of its entity. */
    static final String STATE = "state";

    static final String RETRY = "RETRY";
    static final String PARKED = "PARKED";
    static final String GAP = "GAP";
    static final String ATTEMPTS = "attempts";

    /** Absent while the event is parked behind others. */
    static final String NEXT_ATTEMPT_AT = "next_attempt_at";

    /** When the time of the next attempt was set. A time in the future means that the clock was set back. */
    static final String SCHEDULED_AT = "scheduled_at";

    static final String PATIENCE_ENDS = "patience_ends";
    static final String LOCKED_UNTIL = "locked_until";
    static final String LAST_ERROR = "last_error";
    static final String HELD_AT = "held_at";
    static final String ERROR_CLASS = "error_class";
    static final String ERROR = "error";
    static final String FAILED_AT = "failed_at";
    static final String MESSAGE_KEY = "message_key";
    static final String TOPIC = "topic";
    static final String PARTITION = "topic_partition";
    static final String OFFSET = "topic_offset";
    static final String CONSUMER = "consumer";
    static final String PAUSED_SINCE = "paused_since";
    static final String REASON = "reason";
    static final String EXPIRES_AT = "expires_at";
    static final String DONE_AT = "done_at";
    static final String EFFECT_KEY = "effect_key";

    private InboxFields() {}
}

package io.waybill.inbox;

/** The outcome of a delivered event. It is durable when it is returned: the broker may discard the message. */
public enum InboxOutcome {
    /** The handler ran and its transaction is committed. */
    PROCESSED,
    /** The event already had a final outcome: processed, stale or dead letter. Nothing was changed. */
    DUPLICATE,
    /** This version of the aggregate or a later one was already seen; the handler did not run. */
    STALE,
    /** The event waits behind an earlier event of its key, or for the version before it. */
    PARKED,
    /** The handler failed. The event is retried later, and later events of its key wait. */
    RETRY_SCHEDULED,
    /** The event became a dead letter, which is kept for operators. */
    DEAD_LETTERED,
    /** The group has no handler for the type of the event. Only a strict version guard records such an event. */
    SKIPPED
}

package io.waybill.inbox;

/** What became of a delivered event. Each is durable when it is returned: the broker may forget the message. */
public enum InboxOutcome {
    /** The handler ran and its transaction is committed. */
    PROCESSED,
    /** Decided before: processed, stale or given up on. Nothing was changed. */
    DUPLICATE,
    /** The entity is at this version or a later one already; the handler did not run. */
    STALE,
    /** Kept behind an earlier event of its key, or until the version before it has come. */
    PARKED,
    /** The handler failed; it is tried again later, and later events of its key wait. */
    RETRY_SCHEDULED,
    /** Given up on and kept for a person. */
    DEAD_LETTERED,
    /** Of a type that this group has no handler for; a strict version guard records its version, nothing else does. */
    SKIPPED
}

package io.waybill.inbox;

/** How the inbox treats an exception of a handler. */
public enum FailureKind {
    /** The event may succeed next time: it is retried with back-off, up to the limit of attempts. */
    TRANSIENT,
    /** The event can never succeed: it becomes a dead letter at once. */
    PERMANENT,
    /** A database or a service is down: no attempt is counted, the event waits, and consumption pauses. */
    SYSTEMIC
}

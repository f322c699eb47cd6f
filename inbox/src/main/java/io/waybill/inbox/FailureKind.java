package io.waybill.inbox;

/** What an error of a handler means. */
public enum FailureKind {
    /** May work next time: tried again with back-off, up to the limit of attempts. */
    TRANSIENT,
    /** Will never work for this event: a dead letter at once. */
    PERMANENT,
    /** Not the event's fault (a database or a service is out): costs no attempt; it waits, and consumption pauses. */
    SYSTEMIC
}

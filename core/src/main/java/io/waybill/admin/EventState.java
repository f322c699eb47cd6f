package io.waybill.admin;

/** The state of an event as shown to operators, independent of the engine. */
public enum EventState {
    PENDING,
    CLAIMED,
    PUBLISHED,
    PARKED,
    DEAD_LETTER,
    /** A dead letter that an operator has discarded. */
    DISCARDED
}

package io.waybill.admin;

/** States of an event as people see them, whatever engine stores it. */
public enum EventState {
    PENDING,
    CLAIMED,
    PUBLISHED,
    PARKED,
    DEAD_LETTER,
    /** A dead letter that a person decided to drop. */
    DISCARDED
}

package io.waybill.relay;

/** What happens to later events of a key when one of its events is given up on. */
public enum OnDeadLetter {
    /** They go on without it. */
    CONTINUE,
    /** They wait until a person replays or discards it. */
    BLOCK
}

package io.waybill.relay;

/** What happens to later events of a key when one of its events becomes a dead letter. */
public enum OnDeadLetter {
    /** They are published without it. */
    CONTINUE,
    /** They wait until an operator replays or discards the dead letter. */
    BLOCK
}

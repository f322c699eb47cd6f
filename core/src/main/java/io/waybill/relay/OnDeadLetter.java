package io.waybill.relay;

/** What happens to later events of a key when one of its events becomes a dead letter. */
public enum OnDeadLetter {
    /** Later events are published, although the dead letter was not. */
    CONTINUE,
    /** Later events wait until an operator replays or discards the dead letter. */
    BLOCK
}

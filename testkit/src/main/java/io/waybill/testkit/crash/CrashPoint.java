package io.waybill.testkit.crash;

/** A step of a relay's work at which its process can end. */
public enum CrashPoint {
    /** About to claim, with nothing to settle. */
    BEFORE_CLAIM(Duplicates.NONE),
    /** The claim's statements are done, its transaction is not committed. */
    BEFORE_CLAIM_COMMIT(Duplicates.NONE),
    /** The claim is durable and the relay does not know it yet. */
    AFTER_CLAIM_COMMIT(Duplicates.NONE),
    /** About to hand over the first message of a batch. */
    BEFORE_SEND(Duplicates.NONE),
    /** A message was handed over; whether the broker has it is unknown. */
    AFTER_SEND(Duplicates.POSSIBLE),
    /** The broker has acknowledged a message and the relay does not know it yet. */
    AFTER_ACK(Duplicates.CERTAIN),
    /** Published events are marked, the transaction is not committed. */
    BEFORE_SETTLE_COMMIT(Duplicates.CERTAIN),
    /** A batch is settled durably and the relay does not know it yet. */
    AFTER_SETTLE_COMMIT(Duplicates.NONE),
    /** About to renew the leases. Runs beside the workers, so they may have messages in flight. */
    IN_HEARTBEAT(Duplicates.POSSIBLE),
    /** About to give a lane or all lanes up. Other lanes may have messages in flight. */
    IN_HAND_OVER(Duplicates.POSSIBLE),
    /** About to remove old events. Runs beside the workers, so they may have messages in flight. */
    IN_CLEAN_UP(Duplicates.POSSIBLE);

    /** Whether events that a relay with one worker held when it ended here are delivered twice. */
    public enum Duplicates {
        NONE,
        POSSIBLE,
        CERTAIN
    }

    private final Duplicates duplicates;

    CrashPoint(Duplicates duplicates) {
        this.duplicates = duplicates;
    }

    public Duplicates duplicates() {
        return duplicates;
    }
}

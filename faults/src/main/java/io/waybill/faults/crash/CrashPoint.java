package io.waybill.faults.crash;

/** A step of a relay at which its process can be made to crash. */
public enum CrashPoint {
    /** Before a claim without outcomes to settle. */
    BEFORE_CLAIM(Duplicates.NONE),
    /** After the statements of a claim, before its commit. */
    BEFORE_CLAIM_COMMIT(Duplicates.NONE),
    /** After the commit of a claim, before the relay sees its result. */
    AFTER_CLAIM_COMMIT(Duplicates.NONE),
    /** Before the first message of a batch is sent. */
    BEFORE_SEND(Duplicates.NONE),
    /** After a message was handed to the transport; the broker may or may not have received it. */
    AFTER_SEND(Duplicates.POSSIBLE),
    /** After the broker acknowledged a message, before the relay sees the acknowledgement. */
    AFTER_ACK(Duplicates.CERTAIN),
    /** After published events were marked, before the commit. */
    BEFORE_SETTLE_COMMIT(Duplicates.CERTAIN),
    /** After the commit of a settlement, before the relay sees its result. */
    AFTER_SETTLE_COMMIT(Duplicates.NONE),
    /** Before the leases are renewed. The workers run at the same time and may have messages in flight. */
    IN_HEARTBEAT(Duplicates.POSSIBLE),
    /** Before one lane or all lanes are released. Other lanes may have messages in flight. */
    IN_HAND_OVER(Duplicates.POSSIBLE),
    /** Before old events are deleted. The workers run at the same time and may have messages in flight. */
    IN_CLEAN_UP(Duplicates.POSSIBLE);

    /** Whether a crash of a relay with one worker at this point makes events arrive twice. */
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

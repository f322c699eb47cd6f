package io.waybill.testkit.simulation;

/** Mistakes that a store, a transport or a relay could make; the checks must notice each. */
public enum Bug {
    NONE,
    /** An event counts as published as soon as it is handed over, whatever becomes of it. */
    SETTLE_BEFORE_ACK,
    /** The transport acknowledges what it has only put aside. */
    ACK_BEFORE_SEND,
    /** A late owner settles and claims as if the lane were still its own. */
    NO_FENCE,
    /** A late owner's settlement changes no row, which nobody notices, and it claims on. */
    IGNORE_ZERO_ROWS,
    ORDER_BY_CREATED_AT,
    ORDER_BY_TRANSACTION,
    /** Only what lies above the last position read is ever claimed. */
    READ_ABOVE_LAST,
    /** Leases begin and end by the clock of the relay that looks at them. */
    LEASE_ON_LOCAL_CLOCK,
    /** What follows a failed event does not wait for it. */
    SKIP_A_FAILED_HEAD,
    RETRY_WITHOUT_COUNTING,
    /** Events are sent although a crash of the database could still undo them. */
    PUBLISH_BEFORE_THE_CLAIM_IS_DURABLE
}

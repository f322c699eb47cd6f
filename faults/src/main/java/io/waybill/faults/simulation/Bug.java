package io.waybill.faults.simulation;

/** Bugs that a store, a transport or a relay could have. The simulation must find each of them. */
public enum Bug {
    NONE,
    /** An event counts as published as soon as it is handed to the transport. */
    SETTLE_BEFORE_ACK,
    /** The transport acknowledges messages that it has only buffered. */
    ACK_BEFORE_SEND,
    /** A former owner settles and claims after its lease has expired. */
    NO_FENCE,
    /** The settlement of a former owner changes no row, the store does not check this, and the former owner continues to claim. */
    IGNORE_ZERO_ROWS,
    ORDER_BY_CREATED_AT,
    ORDER_BY_TRANSACTION,
    /** Only events above the last position read are claimed. */
    READ_ABOVE_LAST,
    /** Leases follow the clock of the relay instead of the clock of the database. */
    LEASE_ON_LOCAL_CLOCK,
    /** Events of a key do not wait for a failed event before them. */
    SKIP_A_FAILED_HEAD,
    RETRY_WITHOUT_COUNTING,
    /** Events are sent before their commit is durable. */
    PUBLISH_BEFORE_THE_CLAIM_IS_DURABLE
}

package io.waybill.examples.logistics.outbox;

/** How events reach the broker: the stages of a migration to the outbox. */
public enum Publishing {
    /** The service sends the event after the commit and writes no row. An event is lost if the service or the broker fails then. */
    DUAL_WRITE,
    /**
     * The service writes the row in the transaction of the change, sends the event after the commit, and then marks the row as
     * published. Rows that stay PENDING are events that DUAL_WRITE would have lost.
     */
    SHADOW,
    /** The service writes the row. Only the relay publishes. */
    OUTBOX;

    boolean writesRow() {
        return this != DUAL_WRITE;
    }

    boolean sendsDirectly() {
        return this != OUTBOX;
    }
}

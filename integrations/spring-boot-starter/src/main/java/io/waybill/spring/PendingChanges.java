package io.waybill.spring;

/**
 * What a persistence context has not written yet. It must reach the database before the event does: two transactions that change
 * the same aggregate queue up at its row, and whoever gets the row first must also get the first place in the outbox.
 */
@FunctionalInterface
interface PendingChanges {
    PendingChanges NONE = () -> {};

    /** Writes what the current transaction has pending, and commits nothing. */
    void flush();
}

package io.waybill.spring.internal.outbox;

/**
 * Changes that a persistence context has not written yet. They must reach the database before the event does: two transactions that
 * change the same aggregate wait for its row lock, and the one that acquires the lock first must also append its event first.
 */
@FunctionalInterface
public interface PendingChanges {
    PendingChanges NONE = () -> {};

    /** Writes the pending changes of the current transaction, without a commit. */
    void flush();
}

package io.waybill.jdbc.inbox;

import io.waybill.inbox.InboxStore;
import java.sql.Connection;

/** Where the work behind an idempotency key gets its transaction from, when that is not a new one of the library's own. */
public interface WorkTransactions {
    /** Whether {@link #run} would now take part in a transaction that is open already and ends later. */
    boolean isJoined();

    /**
     * Runs the work in the transaction, which rolls back when the work throws.
     *
     * @param rolledBack must be called when the transaction is rolled back after this method has returned
     */
    <R> R run(String what, InboxStore.Work<Connection, R> work, Runnable rolledBack);
}

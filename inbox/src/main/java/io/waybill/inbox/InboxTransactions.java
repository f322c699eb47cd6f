package io.waybill.inbox;

/**
 * Runs work in transactions of the database that holds the inbox. An {@link InboxStore} has its own; an application whose framework
 * manages transactions gives {@link InboxBuilder#transactions} or its idempotency keys an implementation that uses those.
 *
 * @param <T> what a transaction is here: a JDBC {@code Connection}, a MongoDB client session
 */
public interface InboxTransactions<T> {

    /** Work inside a transaction. */
    @FunctionalInterface
    interface Work<T, R> {
        R in(T transaction);
    }

    /**
     * Runs the work in a transaction, which commits when the work returns and rolls back when it throws. For an inbox the
     * transaction must be a new one; for idempotency keys it may also be one that is open already, see {@link #joinsOpen()}.
     *
     * @param what names the work in an error message, as in "Cannot apply event 42"
     * @throws io.waybill.store.StoreException when the transaction cannot begin or commit
     */
    <R> R transaction(String what, Work<T, R> work);

    /** Whether {@link #transaction} would now join a transaction that is open already and ends after the method has returned. */
    default boolean joinsOpen() {
        return false;
    }

    /**
     * Calls the action when the transaction rolls back after {@link #transaction} has returned. Work calls this method, and only
     * an implementation that joins open transactions has to support it.
     */
    default void onRollback(Runnable action) {}
}

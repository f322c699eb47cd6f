package io.waybill.inbox;

/**
 * Runs work in transactions of the database that holds the inbox. An {@link InboxStore} begins transactions of its own. An
 * application whose framework manages transactions implements this interface with the framework's transactions, and passes the
 * implementation to {@link InboxBuilder#transactions} or to its idempotency keys.
 *
 * @param <T> the type of a transaction: a JDBC {@code Connection}, a MongoDB client session
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

    /**
     * Whether a transaction is open now that {@link #transaction} would join. Such a transaction ends after the method has
     * returned.
     */
    default boolean joinsOpen() {
        return false;
    }

    /**
     * Registers an action to call if the current transaction rolls back after {@link #transaction} has returned. The {@link Work}
     * calls this method. Only an implementation that joins open transactions has to support it.
     */
    default void onRollback(Runnable action) {}
}

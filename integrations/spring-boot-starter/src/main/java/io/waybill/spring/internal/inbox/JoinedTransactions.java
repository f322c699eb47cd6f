package io.waybill.spring.internal.inbox;

import io.waybill.WaybillException;
import io.waybill.inbox.InboxTransactions;
import io.waybill.spring.internal.outbox.TransactionOwner;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Runs the work for an idempotency key in the current transaction, or in a new Spring transaction if none is active. */
final class JoinedTransactions implements InboxTransactions<Connection> {
    private final DataSource dataSource;
    private final TransactionTemplate transactions;

    JoinedTransactions(DataSource dataSource, PlatformTransactionManager manager) {
        this.dataSource = dataSource;
        this.transactions = new TransactionTemplate(manager);
    }

    @Override
    public boolean joinsOpen() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    @Override
    public void onRollback(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int outcome) {
                if (outcome != STATUS_COMMITTED) {
                    action.run();
                }
            }
        });
    }

    @Override
    public <R> R transaction(String what, Work<Connection, R> work) {
        R result = transactions.execute(status -> {
            if (!TransactionOwner.is(dataSource)) {
                throw new WaybillException(
                        "Cannot " + what + ": the transaction does not belong to the DataSource of the inbox. Mark the"
                                + " transaction manager of that DataSource @Primary.");
            }
            return NewTransactions.onConnection(dataSource, work);
        });
        return NewTransactions.required(result, what);
    }
}

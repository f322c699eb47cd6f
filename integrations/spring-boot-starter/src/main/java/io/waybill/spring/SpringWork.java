package io.waybill.spring;

import io.waybill.WaybillException;
import io.waybill.inbox.InboxStore;
import io.waybill.jdbc.inbox.WorkTransactions;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Runs the work behind an idempotency key in the current transaction, or in a new one of Spring's when there is none. */
final class SpringWork implements WorkTransactions {
    private final DataSource dataSource;
    private final TransactionTemplate transactions;

    SpringWork(DataSource dataSource, PlatformTransactionManager manager) {
        this.dataSource = dataSource;
        this.transactions = new TransactionTemplate(manager);
    }

    @Override
    public boolean isJoined() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    @Override
    public <R> R run(String what, InboxStore.Work<Connection, R> work, Runnable rolledBack) {
        R result = transactions.execute(status -> {
            if (!TransactionSynchronizationManager.hasResource(dataSource)) {
                throw new WaybillException(
                        "Cannot " + what + ": the transaction does not belong to the DataSource of the inbox. Mark the"
                                + " transaction manager of that DataSource @Primary.");
            }
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int outcome) {
                    if (outcome != STATUS_COMMITTED) {
                        rolledBack.run();
                    }
                }
            });
            Connection connection = DataSourceUtils.getConnection(dataSource);
            try {
                return work.in(connection);
            } finally {
                DataSourceUtils.releaseConnection(connection, dataSource);
            }
        });
        if (result == null) {
            throw new IllegalStateException("The work to " + what + " returned nothing.");
        }
        return result;
    }
}

package io.waybill.spring;

import io.waybill.inbox.InboxTransactions;
import io.waybill.store.StoreException;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs each handler in a new Spring transaction, so that changes through repositories, {@code JdbcTemplate} and the outbox commit
 * together with the mark that the event was handled. The transaction is a new one even when the caller of {@code runOnce} has one:
 * the inbox decides about each event alone.
 */
final class NewTransactions implements InboxTransactions<Connection> {
    /** In such a transaction the mark would commit although the handler fails, and the retry would be a duplicate. */
    private static final String FOREIGN =
            "The transaction manager that the inbox uses does not begin transactions of the DataSource that holds the inbox, so"
                    + " that a handler's changes and the mark that its event was handled could commit apart.";

    private static final String REMEDY =
            "Define a transaction manager of that DataSource (JdbcTransactionManager, or JpaTransactionManager) and mark it"
                    + " @Primary. JTA transactions are not supported.";

    private final DataSource dataSource;
    private final TransactionTemplate transactions;

    /** @param readCommitted whether to set the isolation level, which is another one by default */
    NewTransactions(DataSource dataSource, PlatformTransactionManager manager, boolean readCommitted) {
        this.dataSource = dataSource;
        this.transactions = new TransactionTemplate(manager);
        transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        if (readCommitted) {
            transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        }
    }

    /**
     * An error at the commit, such as a constraint violation when JPA flushes or a transaction marked for rollback, counts as a
     * failure of the store: nothing was committed, and the inbox retries the event.
     */
    @Override
    public <R> R transaction(String what, Work<Connection, R> work) {
        R result;
        try {
            result = transactions.execute(status -> {
                if (!TransactionOwner.is(dataSource)) {
                    throw new StoreException(FOREIGN + " " + REMEDY, null);
                }
                return onConnection(dataSource, work);
            });
        } catch (TransactionException | DataAccessException e) {
            throw new StoreException("Cannot " + what + ": " + e.getMessage(), e);
        }
        return required(result, what);
    }

    /**
     * Begins a transaction to check which DataSource it belongs to.
     *
     * @throws StartFailure when it is not the inbox's DataSource
     */
    void check() {
        try {
            transactions.executeWithoutResult(status -> {
                if (!TransactionOwner.is(dataSource)) {
                    throw new StartFailure(FOREIGN, REMEDY);
                }
            });
        } catch (TransactionException | DataAccessException e) {
            // The database does not answer. Each transaction is checked again.
        }
    }

    static <R> R onConnection(DataSource dataSource, Work<Connection, R> work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return work.in(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    static <R> R required(@Nullable R result, String what) {
        if (result == null) {
            throw new IllegalStateException("The work to " + what + " returned null.");
        }
        return result;
    }
}

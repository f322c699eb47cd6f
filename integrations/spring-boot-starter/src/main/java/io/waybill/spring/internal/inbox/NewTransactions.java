package io.waybill.spring.internal.inbox;

import io.waybill.inbox.InboxTransactions;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.spring.internal.outbox.TransactionOwner;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs each handler, and each turn of a saga, in a new Spring transaction, so that changes through repositories, {@code JdbcTemplate}
 * and the outbox commit together with the record of the work. The transaction is a new one even when the caller of {@code runOnce}
 * has one: the inbox decides about each event alone.
 */
public final class NewTransactions implements InboxTransactions<Connection> {
    /** In such a transaction the record would commit although the work fails, and the retry would be a duplicate. */
    private static final String FOREIGN =
            "The transaction manager that the %s uses does not begin transactions of the DataSource that holds its tables."
                    + " Your changes and the record that the work is done could therefore be committed separately.";

    private static final String REMEDY =
            "Define a transaction manager of that DataSource (JdbcTransactionManager, or JpaTransactionManager) and mark it"
                    + " @Primary. JTA transactions are not supported.";

    private final DataSource dataSource;
    private final TransactionTemplate transactions;
    private final String foreign;

    /**
     * @param readCommitted whether to set the isolation level, which is another one by default
     * @param user names the user of the transactions in messages: "inbox"
     */
    NewTransactions(DataSource dataSource, PlatformTransactionManager manager, boolean readCommitted, String user) {
        this.dataSource = dataSource;
        this.foreign = FOREIGN.formatted(user);
        this.transactions = new TransactionTemplate(manager);
        transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        if (readCommitted) {
            transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        }
    }

    /**
     * Returns transactions of the application's only, or primary, transaction manager.
     *
     * @throws StartFailure when there is no such manager, or when its transactions belong to another DataSource
     */
    public static NewTransactions of(
            DataSource dataSource, ObjectProvider<PlatformTransactionManager> managers, String user) {
        NewTransactions checked = new NewTransactions(
                TransactionOwner.unwrapped(dataSource),
                manager(managers, user),
                !readsCommittedByDefault(dataSource, user),
                user);
        checked.check();
        return checked;
    }

    static PlatformTransactionManager manager(ObjectProvider<PlatformTransactionManager> managers, String user) {
        PlatformTransactionManager manager = managers.getIfUnique();
        if (manager == null) {
            throw new StartFailure(
                    "The " + user
                            + " needs the transaction manager of its DataSource, but there is none, or more than one.",
                    "Define one, or mark the one of that DataSource @Primary.");
        }
        return manager;
    }

    private static boolean readsCommittedByDefault(DataSource dataSource, String user) {
        try (Connection connection = dataSource.getConnection()) {
            return DatabaseProduct.of(connection).readsCommittedByDefault();
        } catch (SQLException e) {
            throw new StartFailure(
                    "The " + user + " cannot reach its database: " + e.getMessage(),
                    "Check that it runs, and check its address.");
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
                    throw new StoreException(foreign + " " + REMEDY, null);
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
     * @throws StartFailure when it is another DataSource
     */
    private void check() {
        try {
            transactions.executeWithoutResult(status -> {
                if (!TransactionOwner.is(dataSource)) {
                    throw new StartFailure(foreign, REMEDY);
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

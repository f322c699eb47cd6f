package io.waybill.spring;

import java.lang.reflect.Method;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * Tells whether the active transaction belongs to a given DataSource.
 *
 * <p>A transaction manager binds the connection that it commits or rolls back. But a transaction of another resource also has a bound
 * connection once a {@code JdbcTemplate} has asked for one: Spring keeps that connection for the duration of the transaction and never
 * commits it, so statements on it commit at once (auto-commit) or are lost. Spring's flags distinguish the two: a connection that is
 * only kept is synchronized with the transaction, but not in a transaction of its own.
 */
final class TransactionOwner {
    private static final Method TRANSACTION_ACTIVE = transactionActive();

    private TransactionOwner() {}

    /** Whether the active Spring transaction commits or rolls back this DataSource's bound connection. */
    static boolean is(DataSource dataSource) {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && !(holder.isSynchronizedWithTransaction() && !inTransaction(holder));
    }

    private static boolean inTransaction(ConnectionHolder holder) {
        return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(TRANSACTION_ACTIVE, holder));
    }

    /** Spring has no public method for this. */
    private static Method transactionActive() {
        Method method = ReflectionUtils.findMethod(ConnectionHolder.class, "isTransactionActive");
        if (method == null) {
            throw new IllegalStateException(
                    "This version of Spring has no ConnectionHolder.isTransactionActive. Use a version that Waybill is tested with.");
        }
        ReflectionUtils.makeAccessible(method);
        return method;
    }
}

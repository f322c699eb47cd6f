package io.waybill.spring.internal.outbox;

import java.lang.reflect.Method;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * Tells whether the active transaction belongs to a given DataSource.
 *
 * <p>A transaction manager binds the connection that it commits or rolls back. But a transaction of another resource also has a
 * bound connection once a {@code JdbcTemplate} has asked for one: Spring keeps that connection for the duration of the
 * transaction and never commits it, so statements on it commit at once (auto-commit) or are lost. Spring's flags distinguish the
 * two: Spring marks a connection that it only keeps as synchronized with a transaction, but not as active in a transaction.
 */
public final class TransactionOwner {
    private static final Method TRANSACTION_ACTIVE = transactionActive();

    private TransactionOwner() {}

    /** Whether the active Spring transaction commits or rolls back this DataSource's bound connection. */
    public static boolean is(DataSource dataSource) {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && !(holder.isSynchronizedWithTransaction() && !inTransaction(holder));
    }

    /** Whether the active transaction of this DataSource can only roll back. */
    public static boolean isRollbackOnly(DataSource dataSource) {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && holder.isRollbackOnly();
    }

    /** Returns the DataSource whose connections Spring's transaction managers bind. */
    public static DataSource unwrapped(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? dataSource : target;
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

package io.waybill.jdbc;

import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Runs short transactions on pooled connections. */
final class Database {
    /** How often a transaction is tried that others stood in the way of. */
    private static final int ATTEMPTS = 5;

    private final DataSource dataSource;
    private final @Nullable Engine engine;

    Database(DataSource dataSource) {
        this(dataSource, null);
    }

    /** @param engine what the tables are to be used with: refuses databases that do not have it */
    Database(DataSource dataSource, @Nullable Engine engine) {
        this.dataSource = dataSource;
        this.engine = engine;
    }

    @FunctionalInterface
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    <T> T transaction(String what, Work<T> work) {
        return transaction(() -> what, work);
    }

    /**
     * Runs the work in a transaction, and again in a new one when others stood in its way.
     *
     * @param what names the work in an error message, as in "Cannot claim events of lane 3"
     */
    <T> T transaction(Supplier<String> what, Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                return once(what, work);
            } catch (StoreException e) {
                if (attempt == ATTEMPTS || !SqlState.passes(e)) {
                    throw e;
                }
                pause(attempt, e);
            }
        }
    }

    /** As {@link #transaction}, but never again: for work that is not ours. */
    <T> T once(String what, Work<T> work) {
        return once(() -> what, work);
    }

    private <T> T once(Supplier<String> what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            begin(connection);
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollback(connection, e);
                throw e;
            } finally {
                restore(connection, autoCommit);
            }
        } catch (SQLException e) {
            throw SqlErrors.explain(what.get(), e);
        }
    }

    private void begin(Connection connection) throws SQLException {
        DatabaseProduct product = DatabaseProduct.of(connection);
        if (engine != null) {
            product.require(engine);
        }
        connection.setAutoCommit(false);
        Optional<String> isolation = product.dialect().isolation();
        if (isolation.isPresent() && connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(isolation.get());
            }
        }
    }

    /** A little longer each time, and never as long as the other who waits. */
    private static void pause(int attempt, StoreException cause) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(1, 20L * attempt));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cause;
        }
    }

    /** Runs one query; on a connection in auto-commit mode that is one round trip, without a commit of its own. */
    <T> T query(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            if (connection.getAutoCommit()) {
                return work.on(connection);
            }
        } catch (SQLException e) {
            throw SqlErrors.explain(what, e);
        }
        return transaction(what, work);
    }

    private static void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** A connection that died cannot be restored; its pool finds out by itself. */
    private static void restore(Connection connection, boolean autoCommit) {
        try {
            if (!connection.isClosed()) {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            // the transaction's own exception, if any, says more
        }
    }
}

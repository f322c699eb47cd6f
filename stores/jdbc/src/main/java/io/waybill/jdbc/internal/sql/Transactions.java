package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Runs short transactions on connections of a pool. */
public final class Transactions {
    /** The most attempts for a transaction that fails on a deadlock, a lock timeout or a serialization failure. */
    private static final int MAX_ATTEMPTS = 5;

    /** The lock and idle timeout of a store's transaction that has no lease. It is shorter than the default lease. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(3);

    private final DataSource dataSource;
    private final @Nullable Engine engine;
    private final boolean forStore;

    public Transactions(DataSource dataSource) {
        this(dataSource, null);
    }

    /** @param engine the engine of the tables; databases that do not support it are refused */
    public Transactions(DataSource dataSource, @Nullable Engine engine) {
        this(dataSource, engine, false);
    }

    private Transactions(DataSource dataSource, @Nullable Engine engine, boolean forStore) {
        this.dataSource = dataSource;
        this.engine = engine;
        this.forStore = forStore;
    }

    /** Returns a copy for the short transactions of a store. Each of them begins with {@link Dialect#transactionSettings}. */
    public Transactions forStore() {
        return new Transactions(dataSource, engine, true);
    }

    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    public <T> T transaction(String what, Work<T> work) {
        return transaction(what, DEFAULT_TIMEOUT, work);
    }

    /**
     * Runs the work in a transaction. After a deadlock, a lock timeout or a serialization failure, runs it again in a new one.
     *
     * @param what names the work in an error message, as in "Cannot claim events of lane 3"
     * @param timeout the time after which no new attempt begins; in a store, also the longest wait for a lock and the longest time
     *     without a statement before the database ends the transaction
     */
    public <T> T transaction(String what, Duration timeout, Work<T> work) {
        if (!forStore) {
            return retrying(() -> what, timeout, TimeoutSetter.NONE, work);
        }
        return retrying(
                () -> what, timeout, (dialect, connection) -> dialect.setTimeouts(connection, timeout), connection -> {
                    StatementPipeline settings = new StatementPipeline(Sql.on(connection));
                    settings.settings(timeout);
                    settings.send();
                    return work.on(connection);
                });
    }

    /**
     * Runs work that claims events. As {@link #transaction}, but the work sends {@link Dialect#transactionSettings} itself, in its
     * first round trip, and the idle timeout is the lease.
     */
    public <T> T claimTransaction(Supplier<String> what, Duration lease, Work<T> work) {
        return retrying(what, lease, (dialect, connection) -> dialect.setIdleTimeout(connection, lease), work);
    }

    private <T> T retrying(Supplier<String> what, Duration timeout, TimeoutSetter timeouts, Work<T> work) {
        long began = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(what, timeouts, work);
            } catch (StoreException e) {
                if (attempt == MAX_ATTEMPTS
                        || !SqlState.isTransient(e)
                        || System.nanoTime() - began >= timeout.toNanos()) {
                    throw e;
                }
                backOff(attempt, e);
            }
        }
    }

    /** As {@link #transaction}, but with one attempt and without timeouts, for code of the application. */
    public <T> T withoutRetry(String what, Work<T> work) {
        return attempt(() -> what, TimeoutSetter.NONE, work);
    }

    /** Sets the timeouts of a session before its transaction begins. */
    @FunctionalInterface
    private interface TimeoutSetter {
        TimeoutSetter NONE = (dialect, connection) -> Dialect.SessionTimeouts.NONE;

        Dialect.SessionTimeouts set(Dialect dialect, Connection connection) throws SQLException;
    }

    private <T> T attempt(Supplier<String> what, TimeoutSetter setter, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            Dialect.SessionTimeouts timeouts = setter.set(Dialect.of(connection), connection);
            try {
                return attempt(connection, work);
            } finally {
                timeouts.close();
            }
        } catch (SQLException e) {
            throw StoreExceptions.explain(what.get(), e);
        }
    }

    private <T> T attempt(Connection connection, Work<T> work) throws SQLException {
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
    }

    private void begin(Connection connection) throws SQLException {
        DatabaseProduct product = DatabaseProduct.of(connection);
        if (engine != null) {
            product.require(engine);
        }
        connection.setAutoCommit(false);
        Optional<String> readCommitted = product.dialect().setReadCommitted();
        if (readCommitted.isPresent()
                && connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(readCommitted.get());
            }
        }
    }

    /**
     * Waits longer after each attempt. The wait is random, so that two transactions that blocked each other do not start again at
     * the same time.
     */
    private static void backOff(int attempt, StoreException cause) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(1, 20L * attempt));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cause;
        }
    }

    /**
     * Runs one query or one {@link StatementPipeline}, without settings or timeouts. On a connection in auto-commit mode this takes
     * one round trip, because no commit follows.
     */
    public <T> T query(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            if (connection.getAutoCommit()) {
                return work.on(connection);
            }
        } catch (SQLException e) {
            throw StoreExceptions.explain(what, e);
        }
        return retrying(() -> what, DEFAULT_TIMEOUT, TimeoutSetter.NONE, work);
    }

    private static void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** Best effort: the pool detects a lost connection by itself. */
    private static void restore(Connection connection, boolean autoCommit) {
        try {
            if (!connection.isClosed()) {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            // The exception of the transaction, if any, is more useful.
        }
    }
}

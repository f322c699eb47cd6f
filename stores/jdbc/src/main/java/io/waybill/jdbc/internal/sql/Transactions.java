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

/** Runs short transactions on pooled connections. */
public final class Transactions {
    /** How often a transaction is tried that others stood in the way of. */
    private static final int ATTEMPTS = 5;

    /** How long a store's transaction waits for somebody else's lock, where no lease says it: less than the usual lease. */
    public static final Duration PATIENCE = Duration.ofSeconds(3);

    private final DataSource dataSource;
    private final @Nullable Engine engine;
    private final boolean ofStore;

    public Transactions(DataSource dataSource) {
        this(dataSource, null);
    }

    /** @param engine what the tables are to be used with: refuses databases that do not have it */
    public Transactions(DataSource dataSource, @Nullable Engine engine) {
        this(dataSource, engine, false);
    }

    private Transactions(DataSource dataSource, @Nullable Engine engine, boolean ofStore) {
        this.dataSource = dataSource;
        this.engine = engine;
        this.ofStore = ofStore;
    }

    /** The same for the short transactions of a store, each of which begins with {@link Dialect#transactionSettings}. */
    public Transactions ofStore() {
        return new Transactions(dataSource, engine, true);
    }

    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    public <T> T transaction(String what, Work<T> work) {
        return transaction(what, PATIENCE, work);
    }

    /**
     * Runs the work in a transaction, and again in a new one when others stood in its way. In a store, the transaction waits for locks
     * no longer than its patience, and does not outlive a client that says nothing for as long.
     *
     * @param what names the work in an error message, as in "Cannot claim events of lane 3"
     */
    public <T> T transaction(String what, Duration patience, Work<T> work) {
        if (!ofStore) {
            return again(() -> what, patience, Limiter.NONE, work);
        }
        return again(() -> what, patience, (dialect, connection) -> dialect.limit(connection, patience), connection -> {
            StatementPipeline settings = new StatementPipeline(Sql.on(connection));
            settings.settings(patience);
            settings.send();
            return work.on(connection);
        });
    }

    /**
     * Runs work that claims: as {@link #transaction}, but it begins with {@link Dialect#transactionSettings} itself, in its first
     * message, and may say nothing for as long as its lease.
     */
    public <T> T claiming(Supplier<String> what, Duration lease, Work<T> work) {
        return again(what, lease, (dialect, connection) -> dialect.limitSilence(connection, lease), work);
    }

    private <T> T again(Supplier<String> what, Duration patience, Limiter limiter, Work<T> work) {
        long began = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            try {
                return once(what, limiter, work);
            } catch (StoreException e) {
                if (attempt == ATTEMPTS || !SqlState.passes(e) || System.nanoTime() - began >= patience.toNanos()) {
                    throw e;
                }
                pause(attempt, e);
            }
        }
    }

    /** As {@link #transaction}, but never again, and without limits: for work that is not ours. */
    public <T> T once(String what, Work<T> work) {
        return once(() -> what, Limiter.NONE, work);
    }

    /** Sets the limits of a transaction before it begins. */
    @FunctionalInterface
    private interface Limiter {
        Limiter NONE = (dialect, connection) -> Dialect.Limits.NONE;

        Dialect.Limits on(Dialect dialect, Connection connection) throws SQLException;
    }

    private <T> T once(Supplier<String> what, Limiter limiter, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            Dialect.Limits limits = limiter.on(Dialect.of(connection), connection);
            try {
                return once(connection, work);
            } finally {
                limits.close();
            }
        } catch (SQLException e) {
            throw SqlErrors.explain(what.get(), e);
        }
    }

    private <T> T once(Connection connection, Work<T> work) throws SQLException {
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

    /**
     * Runs one query or message; on a connection in auto-commit mode that is one round trip, without a commit of its own. Sets
     * nothing before.
     */
    public <T> T query(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            if (connection.getAutoCommit()) {
                return work.on(connection);
            }
        } catch (SQLException e) {
            throw SqlErrors.explain(what, e);
        }
        return again(() -> what, PATIENCE, Limiter.NONE, work);
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

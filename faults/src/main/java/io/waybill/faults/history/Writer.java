package io.waybill.faults.history;

import io.waybill.faults.history.History.Result;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A thread of a {@link Workload}, with its own connection. */
final class Writer implements Runnable {
    private static final long RECONNECT_NANOS = 50_000_000L;

    private final Workload.Builder settings;
    private final int number;
    private final Append append;
    private final History history;
    private final AtomicLong left;
    private final PendingBurst burst;
    private final BooleanSupplier stopped;
    private final Random random;
    private final Map<String, String> headers;

    Writer(
            Workload.Builder settings,
            int number,
            Append append,
            History history,
            AtomicLong left,
            PendingBurst burst,
            BooleanSupplier stopped) {
        this.settings = settings;
        this.number = number;
        this.append = append;
        this.history = history;
        this.left = left;
        this.burst = burst;
        this.stopped = stopped;
        this.random = new Random(settings.seed * 31 + number);
        this.headers = number == 0 || !settings.headers ? Map.of() : Map.of("written-by", "writer " + number + " äöü");
    }

    @Override
    public void run() {
        while (!done()) {
            try (Connection connection = connect()) {
                while (!done()) {
                    transaction(connection);
                    LockSupport.parkNanos(settings.pause.toNanos());
                }
            } catch (SQLException databaseDown) {
                LockSupport.parkNanos(RECONNECT_NANOS);
            }
        }
    }

    private boolean done() {
        return stopped.getAsBoolean() || left.get() <= 0;
    }

    private Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(settings.jdbcUrl);
        if (!settings.synchronousCommit) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET synchronous_commit = off"); // only PostgreSQL supports this; the default is on
            }
        }
        connection.setAutoCommit(false);
        return connection;
    }

    private void transaction(Connection connection) throws SQLException {
        List<Written> events = new ArrayList<>();
        try {
            change(connection, events);
            if (random.nextInt(10) == 0) {
                connection.rollback();
                history.tell(events, Result.FAIL);
                return;
            }
        } catch (SQLException | RuntimeException e) {
            // COMMIT was not sent, so the transaction is not committed, even if the connection broke
            history.tell(events, Result.FAIL);
            throw e instanceof SQLException sql ? sql : new SQLException(e);
        }
        try {
            connection.commit();
            history.tell(events, Result.OK);
        } catch (SQLException e) {
            history.tell(events, Result.UNKNOWN);
            throw e;
        }
    }

    private void change(Connection connection, List<Written> events) throws SQLException {
        Instant since = Instant.now();
        Burst big = burst.current();
        String key = big.over() ? "key-" + (1 + random.nextInt(settings.keys)) : Burst.KEY;
        long n = Ledger.lock(connection, key);
        int count = random.nextInt(5) == 0 ? 2 + random.nextInt(2) : 1;
        burst.written(count);
        if (random.nextInt(10) == 0) {
            undone(connection, next(key, n + 1, big), since);
        }
        for (int i = 1; i <= count; i++) {
            Written event = next(key, n + i, big);
            events.add(event);
            append.append(connection, event, since);
        }
        Ledger.record(connection, events);
    }

    /** Appends an event and rolls it back to a savepoint. The rest of the transaction may be committed. */
    private void undone(Connection connection, Written event, Instant since) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        append.append(connection, event, since);
        Ledger.record(connection, List.of(event));
        connection.rollback(savepoint);
        history.tell(List.of(event), Result.FAIL);
    }

    private Written next(String key, long n, Burst big) {
        left.decrementAndGet();
        int length =
                big.over() ? random.nextInt(200) : big.shortest() + random.nextInt(big.longest() - big.shortest() + 1);
        Written event = Written.of(settings.eventType, key, n, "w" + number + " " + "x".repeat(length), headers);
        history.invoke(event);
        return event;
    }
}

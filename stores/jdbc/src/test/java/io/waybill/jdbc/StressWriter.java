package io.waybill.jdbc;

import io.waybill.faults.history.Append;
import io.waybill.faults.history.History;
import io.waybill.faults.history.History.Result;
import io.waybill.faults.history.Ledger;
import io.waybill.faults.history.Written;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Writes with difficult transactions: long ones, rollbacks, savepoints, and transaction numbers assigned long before locks. */
record StressWriter(String jdbcUrl, int keys, History history, long until, Random random) implements Callable<Void> {

    @Override
    public Void call() throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            connection.setAutoCommit(false);
            while (System.nanoTime() - until < 0) {
                transaction(connection);
            }
        }
        return null;
    }

    private void transaction(Connection connection) throws SQLException {
        List<Written> events = new ArrayList<>();
        if (random.nextInt(2) == 0) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_current_xact_id()");
            }
            pause(5);
        }
        String key = "key-" + (1 + random.nextInt(keys));
        long n = Ledger.lock(connection, key);
        if (random.nextInt(5) == 0) {
            Savepoint savepoint = connection.setSavepoint();
            Written ghost = append(connection, key, n + 1);
            connection.rollback(savepoint);
            history.tell(List.of(ghost), Result.FAIL);
        }
        int count = random.nextInt(20) == 0 ? 30 : 1 + random.nextInt(3);
        for (int i = 1; i <= count; i++) {
            events.add(append(connection, key, n + i));
        }
        pause(random.nextInt(30) == 0 ? 400 : 4);
        if (random.nextInt(8) == 0) {
            connection.rollback();
            history.tell(events, Result.FAIL);
        } else {
            Ledger.record(connection, events);
            connection.commit();
            history.tell(events, Result.OK);
        }
    }

    private Written append(Connection connection, String key, long n) throws SQLException {
        Written event = Written.of("stress", key, n, "x".repeat(random.nextInt(50)), Map.of());
        history.invoke(event);
        Append.plainSql().append(connection, event, Instant.EPOCH);
        return event;
    }

    /** Keeps the transaction open, which is the purpose of this writer. */
    private void pause(int mostMillis) {
        LockSupport.parkNanos(Duration.ofMillis(random.nextInt(mostMillis)).toNanos());
    }
}

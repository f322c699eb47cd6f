package io.waybill.examples.polyshop.payment;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** A service under load: numbers the events of each key, writes some of them together, and rolls some back. */
final class Writer {
    static final String TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

    private static final String HEADERS =
            "{\"traceparent\": \"00-" + TRACE_ID + "-00f067aa0ba902b7-01\", \"source\": \"payment-service\"}";
    private static final int KEYS = 8;
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

    private final DataSource source;
    private final String topic;
    private final Random random = new Random(7);
    private final Map<String, Integer> committed = new HashMap<>();
    private final AtomicReference<SQLException> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::run, "writer");
    private volatile boolean ending;

    Writer(DataSource source, String topic) {
        this.source = source;
        this.topic = topic;
    }

    void start() {
        thread.start();
    }

    /** Ends the load after the current transaction. */
    void end() {
        ending = true;
        try {
            thread.join(TimeUnit.MINUTES.toMillis(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure.get() != null) {
            throw new AssertionError("The writer failed.", failure.get());
        }
    }

    /** The last committed number of each key; read it after the end. */
    Map<String, Integer> committed() {
        return committed;
    }

    private void run() {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            while (!ending) {
                String key = "order-" + random.nextInt(KEYS);
                int next = committed.getOrDefault(key, 0);
                int events = 1 + random.nextInt(3);
                for (int i = 0; i < events; i++) {
                    next++;
                    insert(connection, key, next);
                }
                if (random.nextInt(5) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                    committed.put(key, next);
                }
                LockSupport.parkNanos(PAUSE);
            }
        } catch (SQLException e) {
            failure.set(e);
        }
    }

    private void insert(Connection connection, String key, int number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO outbox_events (id, aggregate_id, event_type, version, payload, headers)"
                        + " VALUES (?, ?, ?, 1, ?::json, ?::json)")) {
            insert.setObject(1, UUID.randomUUID());
            insert.setString(2, key);
            insert.setString(3, topic);
            insert.setString(4, "{\"number\": " + number + "}");
            insert.setString(5, HEADERS);
            insert.executeUpdate();
        }
    }
}

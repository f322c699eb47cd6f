package io.waybill.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.operate.DeadLetters;
import io.waybill.operate.OutboxView;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.store.StoreBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** A fresh database on this JVM's PostgreSQL. */
final class PostgresBackend implements StoreBackend {
    private final HikariDataSource dataSource;
    private final PostgresQueue queue;
    private final JdbcOutbox outbox = JdbcOutbox.create();

    PostgresBackend() {
        this(PostgresQueue.OnSuccess.MARK);
    }

    PostgresBackend(PostgresQueue.OnSuccess onSuccess) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(SharedServers.freshDatabase());
        config.setMaximumPoolSize(10);
        dataSource = new HikariDataSource(config);
        PostgresSchema.apply(dataSource);
        queue = PostgresQueue.on(dataSource, onSuccess);
    }

    HikariDataSource dataSource() {
        return dataSource;
    }

    @Override
    public OutboxStore store() {
        return queue.store();
    }

    @Override
    public OutboxView view() {
        return queue.view();
    }

    @Override
    public DeadLetters deadLetters() {
        return queue.deadLetters();
    }

    @Override
    public Writer begin() {
        try {
            Connection connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            return new JdbcWriter(connection, outbox);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void age(Duration time) {
        String past = " - interval '" + time.toMillis() + " milliseconds'";
        execute("UPDATE outbox_lanes SET expires_at = expires_at" + past);
        execute("UPDATE outbox_relays SET expires_at = expires_at" + past + ", heartbeat_at = heartbeat_at" + past);
        execute("UPDATE outbox_events SET created_at = created_at" + past + ", next_attempt_at = next_attempt_at" + past
                + ", processed_at = processed_at" + past + ", dead_at = dead_at" + past);
    }

    void execute(String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    @Override
    public void close() {
        dataSource.close();
    }

    private record JdbcWriter(Connection connection, JdbcOutbox outbox) implements Writer {
        @Override
        public void append(Event event) {
            outbox.append(connection, event);
        }

        @Override
        public void commit() {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            try {
                connection.rollback();
                connection.close();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }
}

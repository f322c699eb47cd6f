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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** A fresh database on this JVM's PostgreSQL. */
final class PostgresBackend implements StoreBackend {
    private final HikariDataSource dataSource;
    private final OutboxStore store;
    private final OutboxView view;
    private final DeadLetters deadLetters;
    private final List<String> aging;
    private final JdbcOutbox outbox = JdbcOutbox.create();

    PostgresBackend() {
        this(PostgresQueue.OnSuccess.MARK);
    }

    PostgresBackend(PostgresQueue.OnSuccess onSuccess) {
        dataSource = database(SharedServers.freshDatabase(), Engine.QUEUE);
        PostgresQueue queue = PostgresQueue.on(dataSource, onSuccess);
        store = queue.store();
        view = queue.view();
        deadLetters = queue.deadLetters();
        aging = List.of("UPDATE outbox_events SET created_at = created_at - $, next_attempt_at = next_attempt_at - $,"
                + " processed_at = processed_at - $, dead_at = dead_at - $");
    }

    private PostgresBackend(HikariDataSource dataSource, PostgresJournal journal) {
        this.dataSource = dataSource;
        store = journal.store();
        view = journal.view();
        deadLetters = journal.deadLetters();
        aging = List.of(
                "UPDATE outbox_events SET created_at = created_at - $",
                "UPDATE outbox_held SET next_attempt_at = next_attempt_at - $, settled_at = settled_at - $,"
                        + " dead_at = dead_at - $");
    }

    static PostgresBackend journal() {
        return journal(SharedServers.freshDatabase());
    }

    /** In an empty database. */
    static PostgresBackend journal(String jdbcUrl) {
        HikariDataSource dataSource = database(jdbcUrl, Engine.JOURNAL);
        return new PostgresBackend(dataSource, PostgresJournal.on(dataSource));
    }

    static PostgresBackend of(Engine engine) {
        return engine == Engine.JOURNAL ? journal() : new PostgresBackend();
    }

    private static HikariDataSource database(String jdbcUrl, Engine engine) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(10);
        HikariDataSource dataSource = new HikariDataSource(config);
        PostgresSchema.apply(dataSource, engine);
        return dataSource;
    }

    HikariDataSource dataSource() {
        return dataSource;
    }

    @Override
    public OutboxStore store() {
        return store;
    }

    @Override
    public OutboxView view() {
        return view;
    }

    @Override
    public DeadLetters deadLetters() {
        return deadLetters;
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
        String past = "interval '" + time.toMillis() + " milliseconds'";
        execute("UPDATE outbox_lanes SET expires_at = expires_at - " + past);
        execute("UPDATE outbox_relays SET expires_at = expires_at - " + past + ", heartbeat_at = heartbeat_at - "
                + past);
        aging.forEach(sql -> execute(sql.replace("$", past)));
    }

    /** The first column of all rows, one line each. */
    String query(String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            StringBuilder text = new StringBuilder();
            while (rows.next()) {
                text.append(rows.getString(1)).append('\n');
            }
            return text.toString().strip();
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
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

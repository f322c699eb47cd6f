package io.waybill.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.store.StoreBackend;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;

/** An outbox in a new database. */
public class JdbcBackend implements StoreBackend {
    /** Statements that move all times into the past, except infinite ones. See {@link #age(Duration, String)} for the placeholders. */
    private static final String AGED_TRY =
            "next_attempt_at = CASE WHEN next_attempt_at < @ THEN next_attempt_at - $ ELSE next_attempt_at END";

    private final HikariDataSource dataSource;
    private final JdbcEngine engine;
    private final JdbcOutbox outbox = JdbcOutbox.create();

    public JdbcBackend(HikariDataSource dataSource, JdbcEngine engine) {
        this.dataSource = dataSource;
        this.engine = engine;
    }

    public static HikariDataSource database(String jdbcUrl, Engine engine) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(10);
        HikariDataSource dataSource = new HikariDataSource(config);
        OutboxSchema.apply(dataSource, engine);
        return dataSource;
    }

    /** Returns the backend of the queue engine, in an empty database. */
    public static JdbcBackend queue(String jdbcUrl) {
        HikariDataSource dataSource = database(jdbcUrl, Engine.QUEUE);
        return new JdbcBackend(dataSource, JdbcQueue.on(dataSource));
    }

    public HikariDataSource dataSource() {
        return dataSource;
    }

    @Override
    public OutboxStore store() {
        return engine.store();
    }

    @Override
    public OutboxView view() {
        return engine.view();
    }

    @Override
    public DeadLetters deadLetters() {
        return engine.deadLetters();
    }

    @Override
    public OutboxSearch search() {
        return engine.search();
    }

    @Override
    public OutboxActions actions() {
        return engine.actions();
    }

    @Override
    public BulkOperations bulk() {
        return engine.bulk();
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
        age(time, "UPDATE outbox_lanes SET expires_at = expires_at - $");
        age(time, "UPDATE outbox_operations SET leased_until = leased_until - $, next_step_at = next_step_at - $");
        age(time, "UPDATE outbox_pauses SET expires_at = expires_at - $");
        age(time, "UPDATE outbox_relays SET expires_at = expires_at - $, heartbeat_at = heartbeat_at - $");
        if (engine instanceof JdbcQueue) {
            age(
                    time,
                    "UPDATE outbox_events SET created_at = created_at - $, processed_at = processed_at - $,"
                            + " dead_at = dead_at - $, " + AGED_TRY);
        } else {
            age(time, "UPDATE outbox_events SET created_at = created_at - $");
            age(time, "UPDATE outbox_held SET settled_at = settled_at - $, dead_at = dead_at - $, " + AGED_TRY);
        }
    }

    @Override
    public void delete(UUID id) {
        execute("DELETE FROM outbox_events WHERE id = '" + id + "'");
    }

    /** Executes a statement in which {@code $} is replaced by the duration and {@code @} by infinity. */
    public void age(Duration time, String sql) {
        String past = "interval '" + time.toMillis() / 1e3 + "' second";
        try (Connection connection = dataSource.getConnection()) {
            Sql on = Sql.on(connection);
            on.update(sql.replace("$", past).replace("@", on.dialect().infinity()));
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    /** Returns the first column of all rows, one line for each row. */
    public String query(String sql) {
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

    public void execute(String sql) {
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

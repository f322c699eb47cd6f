package io.waybill.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.PostgresSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Fills the tables that are drained: Waybill's own, and that of the bare loop, which can do as much for its operators: find
 * an event by id, the history of a key, what retention may remove. With {@code -Dlean=true} it can only be drained.
 */
final class Backlog implements AutoCloseable {
    private static final String PAYLOAD = """
            '{"orderId":"' || n || '","userId":"9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d","items":[{"sku":"A-1","qty":2,\
            "price":19.99},{"sku":"B-7","qty":1,"price":5.49}],"totalAmount":45.47,"currency":"EUR","note":"'
            || repeat('x', 160) || '"}'""";

    private final HikariDataSource dataSource;

    Backlog(String jdbcUrl) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(12);
        dataSource = new HikariDataSource(config);
        PostgresSchema.apply(dataSource, Engine.QUEUE);
        execute("""
                CREATE TABLE bare (seq bigserial, id uuid PRIMARY KEY, aggregate_type varchar(50) NOT NULL,
                    aggregate_id varchar(100) NOT NULL, event_type varchar(100) NOT NULL, payload json NOT NULL,
                    occurred_at timestamptz NOT NULL DEFAULT now(), status varchar(20) NOT NULL DEFAULT 'PENDING',
                    retry_count int NOT NULL DEFAULT 0, next_attempt_at timestamptz NOT NULL DEFAULT now(),
                    last_error text, processed_at timestamptz);
                CREATE INDEX bare_poll ON bare (next_attempt_at, seq) WHERE status = 'PENDING'""");
        if (!Boolean.getBoolean("lean")) {
            execute("CREATE INDEX bare_aggregate ON bare (aggregate_id, seq);"
                    + " CREATE INDEX bare_processed ON bare (processed_at) WHERE processed_at IS NOT NULL");
        }
    }

    DataSource dataSource() {
        return dataSource;
    }

    void fillBare(int events) throws SQLException {
        fill("bare", events);
    }

    void fillQueue(int events) throws SQLException {
        fill("outbox_events", events);
    }

    private void fill(String table, int events) throws SQLException {
        execute("TRUNCATE " + table);
        execute("INSERT INTO " + table + " (id, aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT gen_random_uuid(), 'Order', 'agg-' || (random() * 10000)::int, 'order.order.placed.v1', ("
                + PAYLOAD + ")::json FROM generate_series(1, " + events + ") n");
        execute("VACUUM ANALYZE " + table);
        execute("CHECKPOINT");
    }

    long count(String query) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        dataSource.close();
    }
}

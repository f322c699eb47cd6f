package io.waybill.bench.contest;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import javax.sql.DataSource;

/** The schema of one contestant, and a pool of connections that see only this schema. */
public final class Schema implements AutoCloseable {
    private final String name;
    private final String jdbcUrl;
    private final DatabaseKind base;
    private HikariDataSource pool;

    private Schema(String name, String jdbcUrl) {
        this.name = name;
        this.jdbcUrl = jdbcUrl;
        this.base = DatabaseKind.of(jdbcUrl);
        this.pool = pool();
    }

    public static Schema create(String jdbcUrl, String contestant) throws SQLException {
        String name = "waybill_bench_" + contestant;
        DatabaseKind base = DatabaseKind.of(jdbcUrl);
        base.make(jdbcUrl, name);
        return new Schema(name, base.own(jdbcUrl, name));
    }

    DatabaseKind base() {
        return base;
    }

    static String with(String jdbcUrl, String parameters) {
        return jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + parameters;
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setAutoCommit(base.autoCommit());
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(4);
        // the default isolation of MariaDB locks gaps, which blocks writers
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        return new HikariDataSource(config);
    }

    public DataSource dataSource() {
        return pool;
    }

    public Connection connect() throws SQLException {
        return pool.getConnection();
    }

    public void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        }
    }

    public double number(String query) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getDouble(1);
        }
    }

    /** Returns the number of updated and deleted rows of all tables so far, or NaN if the database does not count them. */
    public double deadRows() throws SQLException {
        Optional<String> query = base.deadRows(name);
        if (query.isPresent()) {
            // A backend reports its statistics with a delay, or when it ends.
            pool.close();
            pool = pool();
        }
        return numberIfAny(query);
    }

    /** Returns the number of transactions of the database so far. */
    public double transactions() throws SQLException {
        pool.close();
        pool = pool();
        return number("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()");
    }

    /** Returns the number of transactions of a PostgreSQL that have written something so far. Exact, unlike its statistics. */
    public double writingTransactions() throws SQLException {
        return number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
    }

    /** Runs a checkpoint, so that a run does not pay for earlier writes. */
    public void settle() throws SQLException {
        Optional<String> settle = base.settle();
        if (settle.isPresent()) {
            execute(settle.get());
        }
    }

    public double walPosition() throws SQLException {
        return numberIfAny(base.walPosition());
    }

    private double numberIfAny(Optional<String> query) throws SQLException {
        return query.isPresent() ? number(query.get()) : Double.NaN;
    }

    public void drop() throws SQLException {
        execute(base.drop(name));
    }

    @Override
    public void close() {
        pool.close();
    }
}

package io.waybill.bench.contest;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A schema of its own for each contestant, in one database, and a pool of connections that see only that. */
public final class Schema implements AutoCloseable {
    private final String name;
    private final String jdbcUrl;
    private final Base base;
    private HikariDataSource pool;

    private Schema(String name, String jdbcUrl) {
        this.name = name;
        this.jdbcUrl = jdbcUrl;
        this.base = Base.of(jdbcUrl);
        this.pool = pool(jdbcUrl);
    }

    public static Schema create(String jdbcUrl, String contestant) throws SQLException {
        String name = "waybill_bench_" + contestant;
        return switch (Base.of(jdbcUrl)) {
            case POSTGRESQL -> {
                String own = with(jdbcUrl, "currentSchema=" + name + "&reWriteBatchedInserts=true");
                Schema schema = new Schema(name, own);
                schema.execute("SET client_min_messages = warning; DROP SCHEMA IF EXISTS " + name
                        + " CASCADE; CREATE SCHEMA " + name);
                yield schema;
            }
            case MARIADB -> {
                try (Connection connection = DriverManager.getConnection(jdbcUrl);
                        Statement statement = connection.createStatement()) {
                    statement.execute("DROP DATABASE IF EXISTS " + name);
                    statement.execute("CREATE DATABASE " + name + " CHARACTER SET utf8mb4");
                }
                yield new Schema(name, jdbcUrl.replaceFirst("(jdbc:mariadb://[^/]+/)[^?]*", "$1" + name));
            }
            case H2 -> {
                Schema schema = new Schema(name, jdbcUrl + "-" + contestant);
                schema.execute("DROP ALL OBJECTS");
                yield schema;
            }
        };
    }

    Base base() {
        return base;
    }

    static String with(String jdbcUrl, String parameters) {
        return jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + parameters;
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(4);
        // MariaDB's default locks the gaps that writers want to write into
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

    /** Rows that updates and deletes have killed so far in all tables. Vacuum does not lower it, as it does n_dead_tup. */
    public double deadRows() throws SQLException {
        if (base != Base.POSTGRESQL) {
            return Double.NaN;
        }
        // A backend reports what it did a while later, or when it ends.
        pool.close();
        pool = pool(jdbcUrl);
        return number("SELECT coalesce(sum(n_tup_upd + n_tup_del), 0) FROM pg_stat_all_tables WHERE schemaname = '"
                + name + "'");
    }

    /** Transactions of the whole database so far. */
    public double transactions() throws SQLException {
        pool.close();
        pool = pool(jdbcUrl);
        return number("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()");
    }

    /** So that what is measured does not pay for what was written before. */
    public void settle() throws SQLException {
        if (base == Base.POSTGRESQL) {
            execute("CHECKPOINT");
        }
    }

    public double walPosition() throws SQLException {
        return base != Base.POSTGRESQL ? Double.NaN : number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
    }

    public void drop() throws SQLException {
        execute(
                switch (base) {
                    case POSTGRESQL -> "SET client_min_messages = warning; DROP SCHEMA IF EXISTS " + name + " CASCADE";
                    case MARIADB -> "DROP DATABASE " + name;
                    case H2 -> "DROP ALL OBJECTS";
                });
    }

    @Override
    public void close() {
        pool.close();
    }
}

package io.waybill.server.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens connections to one database, and explains its errors. */
public final class OutboxDatabase {
    private static final int CONNECT_SECONDS = 5;

    /** A server that hangs must not block a thread forever. No statement of a relay takes this long. */
    private static final int ANSWER_SECONDS = 30;

    private static final int CONSOLE_SECONDS = 10;
    private static final int CONSOLE_CONNECTIONS = 4;

    private final DatabaseAddress address;
    private final @Nullable String schema;
    private final boolean mayCreate;

    /** A database that must exist. */
    public OutboxDatabase(DatabaseAddress address) {
        this(address, null);
    }

    /** @param schema the schema of Waybill's tables; null for the default schema of connections */
    public OutboxDatabase(DatabaseAddress address, @Nullable String schema) {
        this(address, schema, false);
    }

    private OutboxDatabase(DatabaseAddress address, @Nullable String schema, boolean mayCreate) {
        this.address = address;
        this.schema = schema;
        this.mayCreate = mayCreate;
    }

    /** The same database, created on connect if it is missing and this kind of database allows that. Use it before creating tables. */
    public OutboxDatabase creating() {
        return new OutboxDatabase(address, schema, true);
    }

    public DatabaseAddress address() {
        return address;
    }

    /** Connections for a short command: not pooled, and without a time limit for statements. */
    public DataSource direct() {
        return direct(CONNECT_SECONDS, 0);
    }

    /** Connections with a time limit for connecting and for each statement. */
    public DataSource withTimeout(int seconds) {
        return direct(seconds, seconds);
    }

    private DataSource direct(int connectSeconds, int answerSeconds) {
        try {
            return address.access()
                    .connect(
                            address,
                            new DatabaseAccess.ConnectionOptions(connectSeconds, answerSeconds, schema, mayCreate));
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** A pool that opens connections on demand and recovers by itself after an outage of the database. */
    public HikariDataSource pool(int size) {
        return pool(
                direct(CONNECT_SECONDS, ANSWER_SECONDS), size, address.access().autoCommit());
    }

    /** A pool for requests of operators, which fail rather than wait long and hold connections only while they are used. */
    public HikariDataSource consolePool() {
        HikariConfig config = config(
                direct(CONNECT_SECONDS, CONSOLE_SECONDS),
                CONSOLE_CONNECTIONS,
                address.access().autoCommit());
        config.setMinimumIdle(0);
        config.setPoolName("waybill-console");
        return new HikariDataSource(config);
    }

    static HikariDataSource pool(DataSource source, int size, boolean autoCommit) {
        return new HikariDataSource(config(source, size, autoCommit));
    }

    private static HikariConfig config(DataSource source, int size, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("waybill");
        config.setDataSource(source);
        // Otherwise the pool reads the isolation level from its first connection. If that connection breaks at that
        // moment, the pool rejects all later connections forever.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setAutoCommit(autoCommit);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(CONNECT_SECONDS));
        config.setValidationTimeout(TimeUnit.SECONDS.toMillis(2));
        config.setInitializationFailTimeout(-1);
        return config;
    }

    /** Connects once, and throws a {@link Problem} with the cause and the remedy when that fails. */
    public void ping(DataSource source) {
        try (Connection connection = source.getConnection()) {
            connection.isValid(CONNECT_SECONDS);
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** Throws a {@link Problem} that lists the problems of the schema, unless there are none. */
    public void requireNone(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE, "The outbox in " + address + " cannot be used: " + String.join(" ", problems));
        }
    }

    public Problem explain(Throwable failure) {
        return DatabaseProblems.explain(failure, address);
    }
}

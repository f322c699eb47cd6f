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

/** Opens connections to one database and says in plain words why that, or a statement, failed. */
public final class OutboxDatabase {
    private static final int CONNECT_SECONDS = 5;

    /** A server that has stopped answering must not hold a thread for ever; no statement of ours takes this long. */
    private static final int ANSWER_SECONDS = 30;

    private final DatabaseAddress address;
    private final @Nullable String schema;
    private final boolean mayCreate;

    /** One that must be there. */
    public OutboxDatabase(DatabaseAddress address) {
        this(address, null);
    }

    /** @param schema where Waybill's tables are, if not where connections look by default */
    public OutboxDatabase(DatabaseAddress address, @Nullable String schema) {
        this(address, schema, false);
    }

    private OutboxDatabase(DatabaseAddress address, @Nullable String schema, boolean mayCreate) {
        this.address = address;
        this.schema = schema;
        this.mayCreate = mayCreate;
    }

    /** The same, created if it is not there and is of a kind that can be: for those who were told to create tables in it. */
    public OutboxDatabase creating() {
        return new OutboxDatabase(address, schema, true);
    }

    public DatabaseAddress address() {
        return address;
    }

    /** Connections for a command that ends soon. */
    public DataSource direct() {
        return direct(CONNECT_SECONDS, 0);
    }

    /** Connections for a question that must be answered soon or not at all. */
    public DataSource withTimeout(int seconds) {
        return direct(seconds, seconds);
    }

    private DataSource direct(int connectSeconds, int answerSeconds) {
        try {
            return address.access()
                    .connect(address, new DatabaseAccess.ConnectionOptions(connectSeconds, answerSeconds, schema, mayCreate));
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** A pool that survives the database: it opens nothing until asked and heals by itself. */
    public HikariDataSource pool(int size) {
        return pool(
                direct(CONNECT_SECONDS, ANSWER_SECONDS), size, address.access().autoCommit());
    }

    static HikariDataSource pool(DataSource source, int size, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("waybill");
        config.setDataSource(source);
        // Unless told, the pool asks its first connection. When that one breaks just then, the pool refuses all others
        // for ever.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setAutoCommit(autoCommit);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(TimeUnit.SECONDS.toMillis(CONNECT_SECONDS));
        config.setValidationTimeout(TimeUnit.SECONDS.toMillis(2));
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** Connects once, so that what is wrong is said at once and in plain words. */
    public void ping(DataSource source) {
        try (Connection connection = source.getConnection()) {
            connection.isValid(CONNECT_SECONDS);
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** Throws with everything that is wrong with the schema. */
    public void requireNone(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new Problem(
                    Exit.DATABASE, "The outbox in " + address + " cannot be used: " + String.join(" ", problems));
        }
    }

    public Problem explain(Throwable failure) {
        return DatabaseErrors.explain(failure, address);
    }
}

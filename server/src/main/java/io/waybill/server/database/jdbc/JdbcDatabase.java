package io.waybill.server.database.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.WaybillException;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutCheck;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.saga.store.SagaStore;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.InboxOperations;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.StoredPart;
import io.waybill.server.problem.Finding;
import io.waybill.server.problem.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database with a JDBC driver. */
public final class JdbcDatabase implements OutboxDatabase {
    private static final int CONNECT_SECONDS = 5;

    /** A server that hangs must not block a thread forever. No statement of a relay takes this long. */
    private static final int ANSWER_SECONDS = 30;

    private static final int CONSOLE_SECONDS = 10;
    private static final int CONSOLE_CONNECTIONS = 4;

    private final JdbcAccess access;
    private final DatabaseAddress address;
    private final @Nullable String schema;
    private final boolean mayCreate;

    /** @param schema the schema of Waybill's tables; null for the default schema of connections */
    JdbcDatabase(JdbcAccess access, DatabaseAddress address, @Nullable String schema) {
        this(access, address, schema, false);
    }

    private JdbcDatabase(JdbcAccess access, DatabaseAddress address, @Nullable String schema, boolean mayCreate) {
        this.access = access;
        this.address = address;
        this.schema = schema;
        this.mayCreate = mayCreate;
    }

    @Override
    public JdbcDatabase creating() {
        return new JdbcDatabase(access, address, schema, true);
    }

    @Override
    public DatabaseAddress address() {
        return address;
    }

    JdbcAccess access() {
        return access;
    }

    /** Connections for a short command: not pooled, and without a time limit for statements. */
    DataSource direct() {
        return direct(CONNECT_SECONDS, 0);
    }

    /** Connections with a time limit for connecting and for each statement. */
    DataSource withTimeout(Duration limit) {
        int seconds = (int) Math.max(1, limit.toSeconds());
        return direct(seconds, seconds);
    }

    private DataSource direct(int connectSeconds, int answerSeconds) {
        try {
            return access.connect(
                    address, new JdbcAccess.ConnectionOptions(connectSeconds, answerSeconds, schema, mayCreate));
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    /** A pool that opens connections on demand and recovers by itself after an outage of the database. */
    HikariDataSource pool(int size) {
        return pool(direct(CONNECT_SECONDS, ANSWER_SECONDS), size, access.autoCommit());
    }

    /** A pool for requests of operators, which fail rather than wait long and hold connections only while they are used. */
    HikariDataSource consolePool() {
        HikariConfig config =
                config(direct(CONNECT_SECONDS, CONSOLE_SECONDS), CONSOLE_CONNECTIONS, access.autoCommit());
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

    @Override
    public void ping() {
        ping(direct());
    }

    void ping(DataSource source) {
        try (Connection connection = source.getConnection()) {
            connection.isValid(CONNECT_SECONDS);
        } catch (SQLException e) {
            throw explain(e);
        }
    }

    @Override
    public JdbcTables outbox(Configuration configuration) {
        return JdbcTables.find(this, configuration);
    }

    @Override
    public JdbcTables outbox(Configuration configuration, Duration limit) {
        return JdbcTables.find(this, withTimeout(limit), configuration);
    }

    @Override
    public StoredPart<InboxOperations> inbox() {
        return new JdbcPart<>(
                this,
                InboxSchema.VERSION,
                InboxSchema::apply,
                InboxSchema::problems,
                source -> operations(JdbcInbox.on(source)));
    }

    static InboxOperations operations(JdbcInbox inbox) {
        return new InboxOperations(inbox.view(), inbox.deadLetters());
    }

    @Override
    public StoredPart<SagaStore<?>> sagas() {
        return new JdbcPart<>(this, SagaSchema.VERSION, SagaSchema::apply, SagaSchema::problems, JdbcSagaStore::on);
    }

    @Override
    public List<Finding> examine(Configuration configuration) {
        return JdbcDoctor.examine(this, configuration);
    }

    @Override
    public List<LayoutFinding> check(Layout layout) {
        access.product().requireLayouts();
        try {
            return LayoutCheck.of(direct(), layout);
        } catch (WaybillException e) {
            throw explain(e);
        }
    }

    @Override
    public OptionalLong migrate(Engine engine, boolean fenceRelays) {
        DataSource source = direct();
        ping(source);
        return SchemaChange.of(() -> OutboxSchema.migrate(source, engine, fenceRelays));
    }

    @Override
    public Problem explain(Throwable failure) {
        return SqlProblems.explain(failure, access, address);
    }

    @Override
    public boolean isTransient(Throwable failure) {
        return SqlProblems.isTransient(failure);
    }

    @Override
    public void close() {
        // Connections are not kept.
    }
}

package io.waybill.server.database.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.WaybillException;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.JdbcQueue.OnSuccess;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.UnsupportedByDatabaseException;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutCheck;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.database.DemoOrders;
import io.waybill.server.database.EventWriter;
import io.waybill.server.database.OutboxConnection;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The outbox tables in a database with a JDBC driver. */
final class JdbcTables implements OutboxTables {
    private final JdbcDatabase database;
    private final DataSource source;
    private final Engine engine;
    private final OnSuccess onSuccess;
    private final @Nullable Layout layout;

    private JdbcTables(
            JdbcDatabase database, DataSource source, Engine engine, OnSuccess onSuccess, @Nullable Layout layout) {
        this.database = database;
        this.source = source;
        this.engine = engine;
        this.onSuccess = onSuccess;
        this.layout = layout;
    }

    static JdbcTables find(JdbcDatabase database, Configuration configuration) {
        return find(database, database.direct(), configuration);
    }

    static JdbcTables find(JdbcDatabase database, DataSource source, Configuration configuration) {
        DatabaseProduct product = database.access().product();
        database.access().require(configuration); // before connecting, which may create a database
        database.ping(source);
        Optional<Layout> layout = OutboxTables.layout(configuration);
        Engine engine = configuration
                .find(Settings.ENGINE)
                .or(() -> layout.isPresent() ? Optional.of(Engine.QUEUE) : installed(source))
                .orElse(product.engines().get(0));
        return new JdbcTables(
                database, source, engine, configuration.get(Settings.RELAY_ON_SUCCESS), layout.orElse(null));
    }

    /** A user without SELECT is a service that only appends, and appending is the same on both engines. */
    private static Optional<Engine> installed(DataSource source) {
        try {
            return OutboxSchema.engine(source);
        } catch (WaybillException e) {
            if (SqlProblems.lacksPrivilege(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public JdbcDatabase database() {
        return database;
    }

    @Override
    public Engine engine() {
        return engine;
    }

    /** The findings about the table that the layout serves; empty without a layout. */
    List<LayoutFinding> findings() {
        return layout == null ? List.of() : LayoutCheck.of(source, layout);
    }

    @Override
    public int version() {
        return OutboxSchema.VERSION;
    }

    @Override
    public String title() {
        return engine.label() + " engine" + (layout == null ? "" : " for " + layout.table());
    }

    @Override
    public boolean create() {
        try {
            return layout == null ? OutboxSchema.apply(source, engine) : LayoutSchema.apply(source, layout);
        } catch (WaybillException e) {
            if (e instanceof UnsupportedByDatabaseException
                    || SqlProblems.sql(e).isPresent()) {
                throw database.explain(e);
            }
            throw new Problem(Exit.DATABASE, String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public List<String> problems() {
        return layout == null ? OutboxSchema.problems(source, engine) : LayoutSchema.problems(source, layout);
    }

    @Override
    public List<String> relayProblems() {
        return relayProblems(source);
    }

    private List<String> relayProblems(DataSource connections) {
        return layout == null
                ? OutboxSchema.relayProblems(connections, engine)
                : LayoutSchema.problems(connections, layout);
    }

    /** The {@link #problems()}; empty when the user lacks the privileges to check the tables. */
    Optional<List<String>> problemsIfAllowed() {
        try {
            return Optional.of(problems());
        } catch (WaybillException e) {
            if (SqlProblems.lacksPrivilege(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public JdbcTables requireReadyForRelay() {
        List<String> problems = new ArrayList<>(relayProblems());
        if (!problems.isEmpty() && installed(source).isEmpty()) {
            problems.add("Or add --apply-schema to this command.");
        }
        database.requireNone(problems);
        database.requireNone(findings().stream()
                .filter(finding -> finding.level() == LayoutFinding.Level.REFUSED)
                .map(finding -> finding.detail() + " " + finding.remedy())
                .toList());
        return this;
    }

    /** Also accepts tables that need a rebase: appending to them is safe. */
    @Override
    public JdbcTables requireValidForAppend() {
        Optional<List<String>> problems = problemsIfAllowed();
        if (problems.isPresent() && !problems.get().isEmpty() && !OutboxSchema.needsRebase(source)) {
            database.requireNone(problems.get());
        }
        return this;
    }

    @Override
    public JdbcTables forRelay() {
        if (engine == Engine.JOURNAL && onSuccess == OnSuccess.DELETE) {
            throw Problem.usage(
                    "relay.on-success: delete requires the queue engine; the journal keeps events until their"
                            + " retention ends. Remove it and set relay.retention, or choose engine: queue.");
        }
        return this;
    }

    @Override
    public OutboxConnection outbox() {
        return connection(source, () -> {});
    }

    @Override
    public OutboxConnection withTimeout(Duration limit) {
        return connection(database.withTimeout(limit), () -> {});
    }

    @Override
    public OutboxConnection pool(int size) {
        HikariDataSource pool = database.pool(size);
        return connection(pool, pool::close);
    }

    @Override
    public OutboxConnection console() {
        HikariDataSource pool = database.consolePool();
        return connection(pool, pool::close);
    }

    private OutboxConnection connection(DataSource connections, Runnable close) {
        return new JdbcConnection(database, connections, on(connections), () -> relayProblems(connections), close);
    }

    private JdbcEngine on(DataSource connections) {
        if (layout != null) {
            return JdbcQueue.on(connections, layout);
        }
        return engine == Engine.QUEUE && onSuccess == OnSuccess.DELETE
                ? JdbcQueue.on(connections, JdbcQueue.OnSuccess.DELETE)
                : JdbcEngine.on(connections, engine);
    }

    @Override
    public EventWriter writer(int maxPayload) {
        return JdbcEventWriter.open(database, source, maxPayload);
    }

    @Override
    public Optional<DataSource> dataSource() {
        return Optional.of(source);
    }

    @Override
    public DemoOrders demoOrders() {
        return new JdbcDemoOrders(source);
    }

    @Override
    public int lanes() {
        return OutboxSchema.lanes(source);
    }

    @Override
    public void changeLanes(int lanes, boolean fenceRelays) {
        SchemaChange.of(() -> {
            OutboxSchema.changeLanes(source, lanes, fenceRelays);
            return lanes;
        });
    }

    @Override
    public boolean needsRebase() {
        return SchemaChange.of(() -> OutboxSchema.needsRebase(source));
    }

    @Override
    public long rebase() {
        return SchemaChange.of(() -> OutboxSchema.rebase(source));
    }
}

package io.waybill.server.database;

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
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The outbox tables in a database. The installed tables determine the engine; a configured engine must match them. */
public final class OutboxTables {
    private final OutboxDatabase database;
    private final DataSource source;
    private final Engine engine;
    private final OnSuccess onSuccess;
    private final @Nullable Layout layout;

    private OutboxTables(
            OutboxDatabase database, DataSource source, Engine engine, OnSuccess onSuccess, @Nullable Layout layout) {
        this.database = database;
        this.source = source;
        this.engine = engine;
        this.onSuccess = onSuccess;
        this.layout = layout;
    }

    /** The configured layout; empty when the outbox is Waybill's own. */
    public static Optional<Layout> layout(Configuration configuration) {
        return configuration.find(Settings.LAYOUT).map(name -> {
            try {
                return Layout.of(name, configuration.workingFolder());
            } catch (WaybillException e) {
                throw new Problem(Exit.USAGE, String.valueOf(e.getMessage()), e);
            }
        });
    }

    /** Connects and determines the engine, without checking the tables. Without tables, the engine is the one to create. */
    public static OutboxTables find(OutboxDatabase database, Configuration configuration) {
        return find(database, database.direct(), configuration);
    }

    public static OutboxTables find(OutboxDatabase database, DataSource source, Configuration configuration) {
        DatabaseProduct product = database.address().product();
        require(product, configuration); // before connecting, which may create a database
        database.ping(source);
        Optional<Layout> layout = layout(configuration);
        Engine engine = configuration
                .find(Settings.ENGINE)
                .or(() -> layout.isPresent() ? Optional.of(Engine.QUEUE) : installed(source))
                .orElse(product.engines().get(0));
        return new OutboxTables(
                database, source, engine, configuration.get(Settings.RELAY_ON_SUCCESS), layout.orElse(null));
    }

    /** Throws a {@link Problem} for a layout or an engine that this kind of database does not support. Does not connect. */
    public static void require(DatabaseProduct product, Configuration configuration) {
        Optional<Engine> engine = configuration.find(Settings.ENGINE);
        layout(configuration).ifPresent(layout -> {
            product.requireLayouts();
            if (engine.equals(Optional.of(Engine.JOURNAL))) {
                throw Problem.usage(
                        "Layout " + layout.name() + " is served by the queue engine. Remove the setting engine.");
            }
        });
        engine.ifPresent(product::require);
    }

    /** A user without SELECT is a service that only appends, and appending is the same on both engines. */
    private static Optional<Engine> installed(DataSource source) {
        try {
            return OutboxSchema.engine(source);
        } catch (WaybillException e) {
            if (DatabaseProblems.lacksPrivilege(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public Engine engine() {
        return engine;
    }

    /** The findings about the table that the layout serves; empty without a layout. */
    public List<LayoutFinding> findings() {
        return layout == null ? List.of() : LayoutCheck.of(source, layout);
    }

    /** The engine and the served table, for messages. */
    public String title() {
        return engine.label() + " engine" + (layout == null ? "" : " for " + layout.table());
    }

    public DataSource source() {
        return source;
    }

    /** @return whether anything was created */
    public boolean create() {
        try {
            return layout == null ? OutboxSchema.apply(source, engine) : LayoutSchema.apply(source, layout);
        } catch (WaybillException e) {
            if (e instanceof UnsupportedByDatabaseException
                    || DatabaseProblems.sql(e).isPresent()) {
                throw database.explain(e);
            }
            throw new Problem(Exit.DATABASE, String.valueOf(e.getMessage()), e);
        }
    }

    public List<String> problems() {
        return layout == null ? OutboxSchema.problems(source, engine) : LayoutSchema.problems(source, layout);
    }

    /** The {@link #problems()}, and those that prevent a relay from working on these connections. */
    public List<String> relayProblems() {
        return layout == null ? OutboxSchema.relayProblems(source, engine) : LayoutSchema.problems(source, layout);
    }

    /** The {@link #problems()}; empty when the user lacks the privileges to check the tables. */
    public Optional<List<String>> problemsIfAllowed() {
        try {
            return Optional.of(problems());
        } catch (WaybillException e) {
            if (DatabaseProblems.lacksPrivilege(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Throws a {@link Problem} that lists the problems of the tables, unless there are none. */
    public OutboxTables requireValid() {
        database.requireNone(problems());
        return this;
    }

    /** Throws a {@link Problem} that lists the problems of the tables and those that prevent a relay from working. */
    public OutboxTables requireValidForRelay() {
        database.requireNone(relayProblems());
        return this;
    }

    /** Like {@link #requireValidForRelay()}, and also checks that a relay can serve the table of the layout. */
    public OutboxTables requireReadyForRelay() {
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

    /**
     * Like {@link #requireValid}, for a service that only inserts: accepts tables that its user cannot check, and tables
     * that need a rebase.
     */
    public OutboxTables requireValidForAppend() {
        Optional<List<String>> problems = problemsIfAllowed();
        if (problems.isPresent() && !problems.get().isEmpty() && !OutboxSchema.needsRebase(source)) {
            database.requireNone(problems.get());
        }
        return this;
    }

    public JdbcEngine outbox() {
        return on(source);
    }

    /** Throws a {@link Problem} for relay settings that this engine does not support. */
    public OutboxTables forRelay() {
        if (engine == Engine.JOURNAL && onSuccess == OnSuccess.DELETE) {
            throw Problem.usage(
                    "relay.on-success: delete requires the queue engine; the journal keeps events until their"
                            + " retention ends. Remove it and set relay.retention, or choose engine: queue.");
        }
        return this;
    }

    /** The same outbox on other connections. */
    public JdbcEngine on(DataSource connections) {
        if (layout != null) {
            return JdbcQueue.on(connections, layout);
        }
        return engine == Engine.QUEUE && onSuccess == OnSuccess.DELETE
                ? JdbcQueue.on(connections, JdbcQueue.OnSuccess.DELETE)
                : JdbcEngine.on(connections, engine);
    }
}

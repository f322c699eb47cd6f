package io.waybill.server.database;

import io.waybill.WaybillException;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.UnsupportedByDatabaseException;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutCheck;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.server.config.Configuration;
import io.waybill.jdbc.JdbcQueue.OnSuccess;
import io.waybill.server.config.Settings;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The outbox in a database, kept by the engine that is installed there: what is configured may only confirm it. */
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

    /** The configured layout, when a table is to be served that is not Waybill's own. */
    public static Optional<Layout> layout(Configuration configuration) {
        return configuration.find(Settings.LAYOUT).map(name -> {
            try {
                return Layout.of(name, configuration.workingFolder());
            } catch (WaybillException e) {
                throw new Problem(Exit.USAGE, String.valueOf(e.getMessage()), e);
            }
        });
    }

    /** Connects; does not say yet whether the tables are right. Where there are none, it is the engine to create. */
    public static OutboxTables find(OutboxDatabase database, Configuration configuration) {
        return find(database, database.direct(), configuration);
    }

    public static OutboxTables find(OutboxDatabase database, DataSource source, Configuration configuration) {
        DatabaseProduct product = database.address().product();
        require(product, configuration); // before a database is created for nothing
        database.ping(source);
        Optional<Layout> layout = layout(configuration);
        Engine engine = configuration
                .find(Settings.ENGINE)
                .or(() -> layout.isPresent() ? Optional.of(Engine.QUEUE) : installed(source))
                .orElse(product.engines().get(0));
        return new OutboxTables(
                database, source, engine, configuration.get(Settings.RELAY_ON_SUCCESS), layout.orElse(null));
    }

    /** Refuses a layout or an engine that such a database cannot have; connects to nothing. */
    public static void require(DatabaseProduct product, Configuration configuration) {
        Optional<Engine> engine = configuration.find(Settings.ENGINE);
        layout(configuration).ifPresent(layout -> {
            product.requireLayouts();
            if (engine.equals(Optional.of(Engine.JOURNAL))) {
                throw Problem.usage("Layout " + layout.name() + " is served by the queue engine. Leave engine out.");
            }
        });
        engine.ifPresent(product::require);
    }

    /** A user who may not look is a service that only appends, which is the same on both. */
    private static Optional<Engine> installed(DataSource source) {
        try {
            return OutboxSchema.engine(source);
        } catch (WaybillException e) {
            if (DatabaseErrors.lacksPrivilege(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public Engine engine() {
        return engine;
    }

    /** What is to be known about the table that is served; nothing when it is Waybill's own. */
    public List<LayoutFinding> findings() {
        return layout == null ? List.of() : LayoutCheck.of(source, layout);
    }

    /** For people: how the outbox is kept. */
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
                    || DatabaseErrors.sql(e).isPresent()) {
                throw database.explain(e);
            }
            throw new Problem(Exit.DATABASE, String.valueOf(e.getMessage()), e);
        }
    }

    public List<String> problems() {
        return layout == null ? OutboxSchema.problems(source, engine) : LayoutSchema.problems(source, layout);
    }

    /** The same, and what keeps a relay from working through these connections. */
    public List<String> relayProblems() {
        return layout == null ? OutboxSchema.relayProblems(source, engine) : LayoutSchema.problems(source, layout);
    }

    /** Nothing at all when this user may not look. */
    public Optional<List<String>> problemsIfAllowed() {
        try {
            return Optional.of(problems());
        } catch (WaybillException e) {
            if (DatabaseErrors.lacksPrivilege(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Throws with everything that is wrong with the tables. */
    public OutboxTables requireValid() {
        database.requireNone(problems());
        return this;
    }

    /** Throws with everything that is wrong with the tables, or keeps a relay from working on them. */
    public OutboxTables requireValidForRelay() {
        database.requireNone(relayProblems());
        return this;
    }

    /** The same for a relay, which must also be able to serve the table of a layout. */
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

    /** For a service that may do nothing but insert: what it may not look at is taken as right. */
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

    /** Refuses settings of a relay that this engine cannot follow. */
    public OutboxTables forRelay() {
        if (engine == Engine.JOURNAL && onSuccess == OnSuccess.DELETE) {
            throw Problem.usage("relay.on-success: delete is for the queue engine; the journal keeps events until their"
                    + " retention ends. Leave it out and set relay.retention, or choose engine: queue.");
        }
        return this;
    }

    /** The same outbox through other connections. */
    public JdbcEngine on(DataSource connections) {
        if (layout != null) {
            return JdbcQueue.on(connections, layout);
        }
        return engine == Engine.QUEUE && onSuccess == OnSuccess.DELETE
                ? JdbcQueue.on(connections, JdbcQueue.OnSuccess.DELETE)
                : JdbcEngine.on(connections, engine);
    }
}

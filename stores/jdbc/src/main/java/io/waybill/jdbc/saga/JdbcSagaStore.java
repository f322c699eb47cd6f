package io.waybill.jdbc.saga;

import static java.util.Objects.requireNonNull;

import io.waybill.internal.StorableText;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.saga.admin.SagaOperations;
import io.waybill.saga.admin.SagaView;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Sagas on any {@link DatabaseProduct}, in the tables of {@link SagaSchema}. Your own transactions must use READ COMMITTED isolation,
 * which is the default of PostgreSQL and H2 but not of MariaDB and MySQL.
 */
public final class JdbcSagaStore implements SagaStore<Connection> {
    private static final int LONGEST_ERROR = 4_000;

    /** Clocks of servers that are in step differ by less. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    private static final int WAKE_CHUNK = 500;

    private final Transactions database;

    private JdbcSagaStore(Transactions database) {
        this.database = database;
    }

    public static JdbcSagaStore on(DataSource dataSource) {
        return new JdbcSagaStore(new Transactions(requireNonNull(dataSource, "dataSource")).forStore());
    }

    @Override
    public Class<Connection> transactionType() {
        return Connection.class;
    }

    @Override
    public <R> R transaction(String what, Work<Connection, R> work) {
        return database.withoutRetry(what, work::in);
    }

    @Override
    public Instant now(Connection connection) {
        return SagaStatements.RUNNER.query(connection, "read the time", s -> s.now, (dialect, row) -> {
            row.next();
            return EventRows.time(dialect, row, 1);
        });
    }

    @Override
    public boolean insert(Connection connection, SagaRecord saga, List<HistoryEntry> history) {
        return SagaTable.insert(connection, saga, history);
    }

    @Override
    public Optional<SagaRecord> find(Connection connection, String name, String businessKey) {
        return SagaTable.find(connection, name, businessKey);
    }

    @Override
    public Optional<LockedSaga> lock(Connection connection, UUID id) {
        return SagaTable.lock(connection, id);
    }

    @Override
    public Optional<LockedSaga> lockDue(Connection connection, UUID id) {
        return SagaTable.lockDue(connection, id);
    }

    @Override
    public void update(
            Connection connection,
            SagaRecord saga,
            boolean dataChanged,
            List<HistoryEntry> history,
            List<SagaSignal> applied) {
        SagaTable.update(connection, saga, dataChanged, history, applied);
    }

    @Override
    public void post(Connection connection, UUID saga, SagaSignal signal) {
        SagaStatements.RUNNER.update(
                connection, "post a signal to saga " + saga, s -> s.post, signalParameters(saga, signal));
    }

    static @Nullable Object[] signalParameters(UUID saga, SagaSignal signal) {
        return new @Nullable Object[] {
            signal.kind().name(),
            signal.step(),
            storable(signal.detail()),
            storable(signal.actor()),
            storable(signal.reason()),
            saga
        };
    }

    static @Nullable String storable(@Nullable String text) {
        return text == null ? null : StorableText.sanitize(text);
    }

    /** Sends one message. A saga that is due and has signals is found twice. */
    @Override
    public List<UUID> due(Collection<Definition> definitions, int limit) {
        if (definitions.isEmpty()) {
            return List.of();
        }
        List<@Nullable Object> parameters = new ArrayList<>();
        for (Definition definition : definitions) {
            for (int part = 0; part < 2; part++) {
                parameters.addAll(List.of(definition.name(), definition.version(), limit));
            }
        }
        parameters.add(2 * limit);
        String what = "look for due sagas";
        Set<UUID> ids = new LinkedHashSet<>();
        database.query(
                what,
                connection -> SagaStatements.RUNNER.run(connection, what, (sql, statements) -> {
                    StatementPipeline pipeline = new StatementPipeline(sql);
                    pipeline.settings();
                    pipeline.query(
                            statements.due(definitions.size()),
                            row -> ids.addAll(SagaRows.ids(sql.dialect(), row)),
                            parameters.toArray());
                    pipeline.send();
                    return ids;
                }));
        return ids.stream().limit(limit).toList();
    }

    @Override
    public SagaOutline register(SagaOutline outline) {
        String what = "register saga " + outline.name() + " version " + outline.version();
        String json = outline.toJson();
        Optional<String> stored = database.transaction(what, connection -> {
            SagaStatements.RUNNER.insert(
                    connection,
                    what,
                    s -> "INSERT INTO saga_definitions (name, version, outline) VALUES (?, ?, ?)",
                    outline.name(),
                    outline.version(),
                    json);
            return JdbcSagaView.outline(connection, outline.name(), outline.version());
        });
        return stored.map(SagaOutline::fromJson).orElse(outline);
    }

    /** Has no effect on a saga that another transaction has locked: that transaction decides when the saga is due again. */
    @Override
    public void postpone(UUID id, Duration delay, String error) {
        String what = "postpone saga " + id;
        database.transaction(
                what,
                connection -> SagaStatements.RUNNER.exists(connection, what, s -> s.lockToPostpone, id)
                        && SagaStatements.RUNNER.update(
                                        connection,
                                        what,
                                        s -> s.postpone,
                                        delay,
                                        delay,
                                        StorableText.sanitize(error, LONGEST_ERROR),
                                        id)
                                == 1);
    }

    /** Leaves out sagas that another transaction has locked: that transaction writes them with the current time. */
    @Override
    public int wakeAfterClockStep(Duration longestRest) {
        String what = "wake sagas after the clock was set back";
        int woken = 0;
        for (int chunk = WAKE_CHUNK; chunk == WAKE_CHUNK; woken += chunk) {
            chunk = database.transaction(what, connection -> {
                List<UUID> ahead = SagaStatements.RUNNER.query(
                        connection,
                        what,
                        s -> s.lockAhead,
                        SagaRows::ids,
                        CLOCK_TOLERANCE,
                        longestRest.plus(CLOCK_TOLERANCE),
                        WAKE_CHUNK);
                if (!ahead.isEmpty()) {
                    SagaStatements.RUNNER.run(connection, what, (sql, statements) -> {
                        StatementPipeline pipeline = new StatementPipeline(sql);
                        pipeline.update(statements.wake, changed -> {}, ahead);
                        pipeline.send();
                        return ahead;
                    });
                }
                return ahead.size();
            });
        }
        return woken;
    }

    @Override
    public int prune(Duration age, int limit) {
        String what = "remove ended sagas";
        return database.transaction(what, connection -> {
            List<UUID> ended = SagaStatements.RUNNER.query(connection, what, s -> s.ended, SagaRows::ids, age, limit);
            if (!ended.isEmpty()) {
                SagaStatements.RUNNER.run(connection, what, (sql, statements) -> {
                    StatementPipeline pipeline = new StatementPipeline(sql);
                    pipeline.update("DELETE FROM saga_history WHERE saga_id = ANY (?)", removed -> {}, ended);
                    pipeline.update("DELETE FROM saga_signals WHERE saga_id = ANY (?)", removed -> {}, ended);
                    pipeline.update("DELETE FROM sagas WHERE id = ANY (?)", removed -> {}, ended);
                    pipeline.send();
                    return ended;
                });
            }
            return ended.size();
        });
    }

    @Override
    public SagaView view() {
        return new JdbcSagaView(database);
    }

    @Override
    public SagaOperations operations() {
        return new OperatorRequests(database);
    }
}

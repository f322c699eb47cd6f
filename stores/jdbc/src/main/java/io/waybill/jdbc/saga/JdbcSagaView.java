package io.waybill.jdbc.saga;

import io.waybill.WaybillException;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.StatementRunner.Choice;
import io.waybill.jdbc.internal.sql.StatementRunner.Reader;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.admin.SagaActivity;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.admin.SagaStatistics;
import io.waybill.saga.admin.SagaView;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore.Definition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Reads the tables of sagas for operators. */
final class JdbcSagaView implements SagaView {
    private final Transactions database;

    JdbcSagaView(Transactions database) {
        this.database = database;
    }

    /** A plain query: the settings of the store's transactions would forbid the sort that follows a search for a few open sagas. */
    @Override
    public List<SagaRecord> list(SagaFilter filter) {
        String what = "list sagas";
        UUID after = filter.after();
        return database.query(what, connection -> {
            Instant before = after == null ? null : createdAt(connection, after).orElseThrow(() -> removed(after));
            return SagaStatements.RUNNER.run(connection, what, (sql, statements) -> {
                SagaSearch search = new SagaSearch(statements, filter, before);
                return sql.query(search.sql(), row -> SagaRows.sagas(sql.dialect(), row), search.values());
            });
        });
    }

    private static WaybillException removed(UUID saga) {
        return new WaybillException("Cannot list the sagas after " + saga
                + ": it was removed after its retention time. Start again with the first page.");
    }

    private static Optional<Instant> createdAt(Connection connection, UUID id) {
        return SagaStatements.RUNNER.query(
                connection,
                "find saga " + id,
                s -> s.createdAt,
                (dialect, row) -> row.next() ? Optional.of(EventRows.time(dialect, row, 1)) : Optional.empty(),
                id);
    }

    @Override
    public Optional<SagaRecord> find(UUID id) {
        return query("find saga " + id, s -> s.findById, SagaRows::sagas, id).stream()
                .findFirst();
    }

    @Override
    public Optional<SagaRecord> find(String name, String businessKey) {
        return database.query(
                "find saga " + name + "/" + businessKey, connection -> SagaTable.find(connection, name, businessKey));
    }

    @Override
    public List<HistoryEntry> history(UUID id, int limit) {
        return query(
                "read the history of saga " + id,
                s -> "SELECT kind, step, attempt, detail, at FROM saga_history WHERE saga_id = ?"
                        + " ORDER BY revision DESC, position DESC LIMIT ?",
                SagaRows::historyBackwards,
                id,
                limit);
    }

    @Override
    public List<SagaSignal> signals(UUID id) {
        return query("read the signals of saga " + id, s -> s.signals, SagaRows::signals, id);
    }

    @Override
    public List<Definition> definitions() {
        return query(
                "list the definitions of sagas",
                s -> "SELECT name, version FROM saga_definitions ORDER BY name, version",
                (dialect, row) -> {
                    List<Definition> definitions = new ArrayList<>();
                    while (row.next()) {
                        definitions.add(new Definition(row.getString(1), row.getInt(2)));
                    }
                    return definitions;
                });
    }

    @Override
    public Optional<SagaOutline> outline(String name, int version) {
        return database.query("read the outline of saga " + name, connection -> outline(connection, name, version))
                .map(SagaOutline::fromJson);
    }

    /** Returns the JSON. To parse it takes time, which a transaction does not have. */
    static Optional<String> outline(Connection connection, String name, int version) {
        return SagaStatements.RUNNER.query(
                connection,
                "read the outline of saga " + name + " version " + version,
                s -> "SELECT outline FROM saga_definitions WHERE name = ? AND version = ?",
                (dialect, row) -> row.next() ? Optional.of(row.getString(1)) : Optional.empty(),
                name,
                version);
    }

    @Override
    public List<SagaStatistics> statistics() {
        String what = "count sagas";
        return query(what, s -> s.statistics, JdbcSagaView::statistics);
    }

    /** A saga with a signal that no engine has applied is due as well. Its lag counts for all states of its definition. */
    @Override
    public List<SagaActivity> activity() {
        String what = "count the sagas that have not ended";
        Map<String, Duration> signals = query(what, s -> s.signalLag, JdbcSagaView::signalLags);
        return query(what, s -> s.activity, (dialect, row) -> {
            List<SagaActivity> groups = new ArrayList<>();
            while (row.next()) {
                Duration timer = seconds(row, 6);
                Duration signal = signals.getOrDefault(row.getString(1), Duration.ZERO);
                groups.add(new SagaActivity(
                        row.getString(1),
                        SagaStatus.valueOf(row.getString(2)),
                        row.getLong(3),
                        row.getLong(4),
                        seconds(row, 5),
                        timer.compareTo(signal) > 0 ? timer : signal));
            }
            return groups;
        });
    }

    private static Map<String, Duration> signalLags(Dialect dialect, ResultSet row) throws SQLException {
        Map<String, Duration> lags = new HashMap<>();
        while (row.next()) {
            lags.put(row.getString(1), seconds(row, 2));
        }
        return lags;
    }

    /** Zero for null, and for a time in the future. */
    private static Duration seconds(ResultSet row, int column) throws SQLException {
        return Duration.ofMillis(Math.max(0, Math.round(row.getDouble(column) * 1_000)));
    }

    /** Adds the ended sagas of a definition and state to those that have not ended. */
    private static List<SagaStatistics> statistics(Dialect dialect, ResultSet row) throws SQLException {
        Map<String, SagaStatistics> groups = new LinkedHashMap<>();
        while (row.next()) {
            SagaStatistics group = new SagaStatistics(
                    row.getString(1),
                    SagaStatus.valueOf(row.getString(2)),
                    row.getLong(3),
                    row.getLong(4),
                    seconds(row, 5));
            groups.merge(
                    group.name() + "/" + group.status(),
                    group,
                    (a, b) -> new SagaStatistics(
                            a.name(),
                            a.status(),
                            a.count() + b.count(),
                            a.stuck() + b.stuck(),
                            a.oldest().compareTo(b.oldest()) > 0 ? a.oldest() : b.oldest()));
        }
        return List.copyOf(groups.values());
    }

    private <R> R query(String what, Choice<SagaStatements> statement, Reader<R> reader, Object... parameters) {
        return database.query(
                what, connection -> SagaStatements.RUNNER.query(connection, what, statement, reader, parameters));
    }
}

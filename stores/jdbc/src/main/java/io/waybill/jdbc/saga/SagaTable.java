package io.waybill.jdbc.saga;

import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import io.waybill.jdbc.internal.sql.StatementRunner;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Locks and writes the rows of sagas, with their history. Each method sends one message where the driver can. */
final class SagaTable {
    private static final String HISTORY =
            "INSERT INTO saga_history (saga_id, revision, position, kind, step, attempt, detail, at) VALUES ";

    private static final String HISTORY_ROW = "(?, ?, ?, ?, ?, ?, ?, ?)";

    private SagaTable() {}

    static boolean insert(Connection connection, SagaRecord saga, List<HistoryEntry> history) {
        String what = "start saga " + saga.name() + "/" + saga.businessKey();
        boolean inserted = SagaStatements.RUNNER.insert(
                connection,
                what,
                s -> s.insert,
                saga.id(),
                saga.name(),
                saga.version(),
                saga.businessKey(),
                saga.status().name(),
                saga.data(),
                saga.state(),
                saga.headers(),
                saga.parentId(),
                saga.parentStep(),
                text(saga.error()),
                saga.stuck(),
                saga.wakeAt(),
                saga.createdAt(),
                saga.updatedAt(),
                saga.endedAt(),
                saga.revision());
        if (inserted && !history.isEmpty()) {
            SagaStatements.RUNNER.update(connection, what, s -> historySql(history), historyParameters(saga, history));
        }
        return inserted;
    }

    static Optional<SagaRecord> find(Connection connection, String name, String businessKey) {
        return SagaStatements.RUNNER
                .query(connection, "find saga " + name, s -> s.find, SagaRows::sagas, name, businessKey)
                .stream()
                .findFirst();
    }

    /** Does not read signals: the caller brings an event or a result, and leaves the signals to an engine. */
    static Optional<LockedSaga> lock(Connection connection, UUID id) {
        return SagaStatements.RUNNER.query(
                connection,
                "lock saga " + id,
                s -> s.lock,
                (dialect, row) -> row.next()
                        ? Optional.of(new LockedSaga(
                                SagaRows.saga(dialect, row),
                                EventRows.time(dialect, row, SagaRows.COLUMNS + 1),
                                List.of()))
                        : Optional.empty(),
                id);
    }

    /**
     * Locks the saga, and then reads its signals: after the lock, because another engine may have applied them while this statement
     * looked for them.
     */
    static Optional<LockedSaga> lockDue(Connection connection, UUID id) {
        return SagaStatements.RUNNER.run(connection, "lock due saga " + id, (sql, statements) -> {
            DueSaga due = new DueSaga(sql);
            StatementPipeline pipeline = new StatementPipeline(sql);
            pipeline.query(statements.lockDue, due::readSaga, id);
            pipeline.query(statements.signals, due::readSignals, id);
            pipeline.send();
            return due.locked();
        });
    }

    /** The results of the two statements that lock a due saga. */
    private static final class DueSaga {
        private final Sql sql;
        private @Nullable SagaRecord saga;
        private Instant now = Instant.MIN;
        private List<SagaSignal> signals = List.of();

        DueSaga(Sql sql) {
            this.sql = sql;
        }

        void readSaga(ResultSet row) throws SQLException {
            if (row.next()) {
                saga = SagaRows.saga(sql.dialect(), row);
                now = EventRows.time(sql.dialect(), row, SagaRows.COLUMNS + 1);
            }
        }

        void readSignals(ResultSet row) throws SQLException {
            signals = SagaRows.signals(sql.dialect(), row);
        }

        Optional<LockedSaga> locked() {
            SagaRecord found = saga;
            if (found == null) {
                return Optional.empty();
            }
            Instant wake = found.wakeAt();
            boolean due = !signals.isEmpty() || (wake != null && !wake.isAfter(now));
            return due ? Optional.of(new LockedSaga(found, now, signals)) : Optional.empty();
        }
    }

    static void update(
            Connection connection,
            SagaRecord saga,
            boolean dataChanged,
            List<HistoryEntry> history,
            List<SagaSignal> applied) {
        String what = "write saga " + saga.name() + "/" + saga.businessKey();
        List<@Nullable Object> parameters = new ArrayList<>();
        if (dataChanged) {
            parameters.add(saga.data());
        }
        parameters.addAll(Arrays.asList(
                saga.version(),
                saga.status().name(),
                saga.state(),
                text(saga.error()),
                saga.stuck(),
                saga.wakeAt(),
                saga.updatedAt(),
                saga.endedAt(),
                saga.revision(),
                saga.id(),
                saga.revision()));
        int[] written = new int[1];
        SagaStatements.RUNNER.run(connection, what, (sql, statements) -> {
            StatementRunner.requireFitPackets(sql, connection, parameters.toArray());
            StatementPipeline pipeline = new StatementPipeline(sql);
            pipeline.update(
                    dataChanged ? statements.updateWithData : statements.update,
                    rows -> written[0] = rows,
                    parameters.toArray());
            if (!applied.isEmpty()) {
                pipeline.update(
                        "DELETE FROM saga_signals WHERE saga_id = ? AND id = ANY (?)",
                        rows -> {},
                        saga.id(),
                        applied.stream().map(SagaSignal::id).toList());
            }
            if (!history.isEmpty()) {
                pipeline.update(historySql(history), rows -> {}, historyParameters(saga, history));
            }
            pipeline.send();
            return saga;
        });
        if (written[0] != 1) {
            throw new StoreException(
                    "Cannot " + what + ": it was removed, or changed after revision " + (saga.revision() - 1)
                            + ". Lock a saga in the transaction that writes it.",
                    null);
        }
    }

    private static String historySql(List<HistoryEntry> history) {
        return HISTORY + String.join(", ", Collections.nCopies(history.size(), HISTORY_ROW));
    }

    private static @Nullable Object[] historyParameters(SagaRecord saga, List<HistoryEntry> history) {
        List<@Nullable Object> parameters = new ArrayList<>(history.size() * 8);
        int position = 0;
        for (HistoryEntry entry : history) {
            parameters.addAll(Arrays.asList(
                    saga.id(),
                    saga.revision(),
                    position++,
                    entry.kind().name(),
                    text(entry.step()),
                    entry.attempt(),
                    text(entry.detail()),
                    entry.at()));
        }
        return parameters.toArray();
    }

    /** A text with a type even if it is null, so that PostgreSQL can reuse the plan. */
    private static Object text(@Nullable String value) {
        return value == null ? new Sql.TypedNull(Types.VARCHAR) : value;
    }
}

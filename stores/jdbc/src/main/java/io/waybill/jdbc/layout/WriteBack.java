package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.StoreExceptions;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Writes outcomes into the served table, without waiting long for locks of the application. */
final class WriteBack {
    private static final String SOURCES = "SELECT id, source_id FROM outbox_sources WHERE id = ANY (?)";
    private static final String DELETE_SOURCES = "DELETE FROM outbox_sources WHERE id = ANY (?)";

    /** The timeout covers a lock on the whole table, and row locks if this role may not lock rows itself. */
    private static final String SET_SAVEPOINT = "SAVEPOINT waybill_write_back; SET LOCAL lock_timeout = '2s'";

    private static final String ROLL_BACK = "ROLLBACK TO SAVEPOINT waybill_write_back";

    private final BoundLayout binding;
    private final LoggedOnce failure;

    WriteBack(BoundLayout binding) {
        this.binding = binding;
        this.failure = new LoggedOnce(
                "Cannot write outcomes into " + binding.layout().table(),
                "Events are still published; the missing outcomes are retried every second.");
    }

    /**
     * The result of an attempt.
     *
     * @param pending the published events and dead letters whose rows could not be written
     * @param refusal the SQL state if the table refused the whole attempt; otherwise empty
     */
    record Result(Set<UUID> pending, String refusal) {}

    /** Writes the outcomes. If the table refuses one, none is written. */
    Result attempt(Connection connection, List<UUID> published, List<UUID> failed, List<UUID> dead)
            throws SQLException {
        execute(connection, SET_SAVEPOINT);
        Attempt attempt = new Attempt(connection);
        try {
            attempt.write(RowTransition.SUCCESS, published);
            attempt.write(RowTransition.FAILURE, failed);
            attempt.write(RowTransition.DEAD, dead);
            return new Result(attempt.pending, "");
        } catch (SQLException e) {
            if (!isRefusal(SqlState.of(e))) {
                throw e;
            }
            execute(connection, ROLL_BACK);
            failure.failed(StoreExceptions.explain("change " + binding.layout().table(), e));
            Set<UUID> all = new HashSet<>(published);
            all.addAll(dead);
            return new Result(all, SqlState.of(e));
        }
    }

    /** Marks the rows of retried events as claimed, except locked ones, if the layout has such a mark. Best effort. */
    void markClaimed(Connection connection, List<UUID> ids) throws SQLException {
        String statement = binding.sql(connection).claim();
        if (statement == null) {
            return;
        }
        execute(connection, SET_SAVEPOINT);
        try {
            List<String> rows = List.copyOf(new Attempt(connection).sources(ids).values());
            Sql.on(connection).update(statement, rows, rows);
        } catch (SQLException e) {
            if (!isRefusal(SqlState.of(e))) {
                throw e;
            }
            execute(connection, ROLL_BACK);
        }
    }

    /** Logs the recovery: no write is pending any more. */
    void recovered() {
        failure.recovered();
    }

    /** Whether the served table caused the error. Errors of the connection or the server, and deadlocks, have other causes. */
    private static boolean isRefusal(String state) {
        return state.equals(SqlState.LOCK_TIMEOUT)
                || state.equals(SqlState.QUERY_CANCELED)
                || state.startsWith("42")
                || aboutOneRow(state);
    }

    /** Whether the table caused this failure. */
    static boolean refused(StoreException failure) {
        return failure.getCause() instanceof SQLException e && isRefusal(SqlState.of(e));
    }

    /** Whether the error concerns one row, so that another row may be accepted. */
    static boolean aboutOneRow(String state) {
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("P0");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private final class Attempt {
        private final Connection connection;
        private final Sql sql;
        private final Set<UUID> pending = new HashSet<>();

        private Attempt(Connection connection) throws SQLException {
            this.connection = connection;
            this.sql = Sql.on(connection);
        }

        /**
         * Writes one kind of outcome. Skips locked rows. A failure does not become pending, because the next failure or the final
         * outcome replaces it.
         */
        void write(RowTransition step, List<UUID> ids) throws SQLException {
            String statement = step == RowTransition.SUCCESS
                    ? binding.sql(connection).success()
                    : binding.sql(connection).failureOrDead(step);
            if (ids.isEmpty() || statement == null) {
                return;
            }
            Map<UUID, String> sources = sources(ids);
            List<UUID> events = List.copyOf(sources.keySet());
            List<String> rows = List.copyOf(sources.values());
            Set<String> waiting = new HashSet<>();
            Set<String> unwritten = new HashSet<>(rows);
            Sql.Reader<Set<String>> reader = row -> {
                while (row.next()) {
                    unwritten.remove(row.getString(1));
                    if (row.getBoolean(2)) {
                        waiting.add(row.getString(1));
                    }
                }
                return unwritten;
            };
            if (step == RowTransition.SUCCESS) {
                sql.query(statement, reader, rows, rows);
            } else {
                sql.query(statement, reader, rows, events, rows);
            }
            if (step == RowTransition.FAILURE) {
                return;
            }
            refuseWaiting(waiting.size(), step);
            Set<UUID> locked = locked(sources, unwritten);
            pending.addAll(locked);
            if (step == RowTransition.SUCCESS && !binding.table(connection).sameIds()) {
                List<UUID> written = new ArrayList<>(ids);
                written.removeAll(locked);
                sql.update(DELETE_SOURCES, written);
            }
        }

        /**
         * Returns the events whose rows are locked and still wait. Any other unwritten row was deleted, or finished by the
         * application.
         */
        private Set<UUID> locked(Map<UUID, String> sources, Set<String> unwritten) throws SQLException {
            Set<UUID> locked = new HashSet<>();
            if (!unwritten.isEmpty()) {
                Set<String> still = sql.query(
                        binding.sql(connection).stillWaiting(),
                        row -> {
                            Set<String> found = new HashSet<>();
                            while (row.next()) {
                                found.add(row.getString(1));
                            }
                            return found;
                        },
                        List.copyOf(unwritten));
                sources.forEach((id, row) -> {
                    if (still.contains(row)) {
                        locked.add(id);
                    }
                });
            }
            return locked;
        }

        private Map<UUID, String> sources(List<UUID> ids) throws SQLException {
            Map<UUID, String> sources = new HashMap<>();
            if (binding.table(connection).sameIds()) {
                ids.forEach(id -> sources.put(id, id.toString()));
                return sources;
            }
            return sql.query(
                    SOURCES,
                    row -> {
                        while (row.next()) {
                            sources.put(row.getObject(1, UUID.class), row.getString(2));
                        }
                        return sources;
                    },
                    ids);
        }
    }

    /** Rows that still wait would be imported and published forever. */
    private void refuseWaiting(int rows, RowTransition step) {
        if (rows > 0) {
            throw new StoreException(
                    rows + " rows of " + binding.layout().table() + " still wait after layout "
                            + binding.layout().name() + " wrote its changes for " + step.label()
                            + ". Correct its lines `waiting` and `" + step.label()
                            + "`; `waybill layout check` tries them. Nothing was recorded.",
                    null);
        }
    }
}

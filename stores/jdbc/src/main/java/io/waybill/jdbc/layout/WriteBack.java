package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlErrors;
import io.waybill.jdbc.internal.sql.SqlState;
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

/** Writes into the served table what became of its rows, and never waits long for the application. */
final class WriteBack {
    private static final String SOURCES = "SELECT id, source_id FROM outbox_sources WHERE id = ANY (?)";
    private static final String FORGET = "DELETE FROM outbox_sources WHERE id = ANY (?)";

    /** A lock on the whole table, or on a row of a user who may not lock rows, is waited for so long. */
    private static final String BEGIN = "SAVEPOINT waybill_telling; SET LOCAL lock_timeout = '2s'";

    private static final String UNDO = "ROLLBACK TO SAVEPOINT waybill_telling";

    private final BoundLayout binding;
    private final LoggedOnce trouble;

    WriteBack(BoundLayout binding) {
        this.binding = binding;
        this.trouble = new LoggedOnce(
                "Cannot write into " + binding.layout().table() + " what became of its rows",
                "Publishing goes on; what is missing is written as soon as it can be.");
    }

    /**
     * What came of an attempt.
     *
     * @param owed the published events and dead letters whose rows still have to be told
     * @param refusal the error's code, when the table refused all of it; otherwise empty
     */
    record Result(Set<UUID> owed, String refusal) {}

    /** Tells the table, or leaves it as it was when it refuses. */
    Result attempt(Connection connection, List<UUID> published, List<UUID> failed, List<UUID> dead)
            throws SQLException {
        execute(connection, BEGIN);
        Attempt attempt = new Attempt(connection);
        try {
            attempt.tell(RowTransition.SUCCESS, published);
            attempt.tell(RowTransition.FAILURE, failed);
            attempt.tell(RowTransition.DEAD, dead);
            return new Result(attempt.owed, "");
        } catch (SQLException e) {
            if (!refusal(SqlState.of(e))) {
                throw e;
            }
            execute(connection, UNDO);
            trouble.raise(SqlErrors.explain("change " + binding.layout().table(), e));
            Set<UUID> all = new HashSet<>(published);
            all.addAll(dead);
            return new Result(all, SqlState.of(e));
        }
    }

    /** Nothing is owed to the table any more. */
    void recovered() {
        trouble.clear();
    }

    /** Whether the table is to blame, and not the connection, the server or a deadlock. */
    private static boolean refusal(String state) {
        return state.equals("55P03") || state.equals("57014") || state.startsWith("42") || aboutOneRow(state);
    }

    static boolean refused(StoreException failure) {
        return failure.getCause() instanceof SQLException e && refusal(SqlState.of(e));
    }

    /** Whether another row might well be accepted. */
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
        private final Set<UUID> owed = new HashSet<>();

        private Attempt(Connection connection) throws SQLException {
            this.connection = connection;
            this.sql = Sql.on(connection);
        }

        /** Rows that are locked stay as they are. A failure is not owed: the next one, or the end, says more. */
        void tell(RowTransition step, List<UUID> ids) throws SQLException {
            String statement = step == RowTransition.SUCCESS
                    ? binding.sql(connection).success()
                    : binding.sql(connection).other(step);
            if (ids.isEmpty() || statement == null) {
                return;
            }
            Map<UUID, String> sources = sources(ids);
            List<UUID> events = List.copyOf(sources.keySet());
            List<String> rows = List.copyOf(sources.values());
            Set<String> waiting = new HashSet<>();
            Set<String> untold = new HashSet<>(rows);
            Sql.Reader<Set<String>> reader = row -> {
                while (row.next()) {
                    untold.remove(row.getString(1));
                    if (row.getBoolean(2)) {
                        waiting.add(row.getString(1));
                    }
                }
                return untold;
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
            Set<UUID> locked = locked(sources, untold);
            owed.addAll(locked);
            if (step == RowTransition.SUCCESS && !binding.table(connection).sameIds()) {
                List<UUID> told = new ArrayList<>(ids);
                told.removeAll(locked);
                sql.update(FORGET, told);
            }
        }

        /** A row that was not changed is gone, or was finished by its owner, or is locked and still waits. */
        private Set<UUID> locked(Map<UUID, String> sources, Set<String> untold) throws SQLException {
            Set<UUID> locked = new HashSet<>();
            if (!untold.isEmpty()) {
                Set<String> still = sql.query(
                        binding.sql(connection).stillWaiting(),
                        row -> {
                            Set<String> found = new HashSet<>();
                            while (row.next()) {
                                found.add(row.getString(1));
                            }
                            return found;
                        },
                        List.copyOf(untold));
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

    /** They would be taken in and published again, and again. */
    private void refuseWaiting(int rows, RowTransition step) {
        if (rows > 0) {
            throw new StoreException(
                    rows + " rows of " + binding.layout().table() + " still wait after what layout "
                            + binding.layout().name() + " writes on " + step.label()
                            + ". Correct its lines `waiting` and `" + step.label()
                            + "`; `waybill layout check` tries them. Nothing was recorded.",
                    null);
        }
    }
}

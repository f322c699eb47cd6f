package io.waybill.jdbc.layout;

import io.waybill.internal.LogText;
import io.waybill.internal.StorableText;
import io.waybill.jdbc.internal.queue.QueueDeadLetters;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies waiting rows of the served table into Waybill's own queue, in the order of the layout.
 *
 * <p>Only the relay that has locked the row of {@code outbox_intake} imports. The copies therefore get their sequence
 * numbers in the order in which rows were selected, also across transactions, and a later import sees the copies of an
 * earlier one. A row that an import sees is committed, and so is every earlier row of its key, provided that writers
 * serialise on the key. Therefore the events of each key are in the order of the layout's order columns. A row is skipped if
 * Waybill's table has an unfinished copy of it, not because of the state in the row: rows that another relay left as claimed
 * are imported like any other.
 *
 * <p>A row that the application has locked is imported in its turn, with the values that were last committed. Skipping it
 * would let later rows of its key overtake it. Such a row only lacks the layout's claim mark, which no part of Waybill
 * relies on. No statement waits for a row lock.
 *
 * <p>The import stops while enough copies wait for their first attempt. Copies that are parked behind a failing event do not
 * count; otherwise a single failing key could stop all others.
 */
final class LayoutImporter {
    /** The largest number of rows imported in one transaction. */
    static final int CHUNK = 1_000;

    /** The largest number of copies that wait for their first attempt. */
    static final int MAX_WAITING = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(LayoutImporter.class);
    private static final long MAINTENANCE_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    private static final String LOCK = "SELECT 1 FROM outbox_intake FOR UPDATE SKIP LOCKED";

    private static final String COUNT_WAITING =
            "SELECT count(*) FROM (SELECT 1 FROM outbox_events WHERE processed_at IS NULL"
                    + " AND next_attempt_at IS NULL LIMIT " + MAX_WAITING + ") o";

    private static final String INSERT_SOURCES = "INSERT INTO outbox_sources (id, source_id)"
            + " SELECT * FROM unnest(CAST(? AS uuid[]), CAST(? AS text[])) ON CONFLICT DO NOTHING";

    private static final String DELETE_FINISHED =
            "DELETE FROM outbox_events WHERE id = ? AND processed_at IS NOT NULL AND state IN ('DEAD_LETTER', 'DISCARDED')";

    private static final String UPDATE_ERROR = "UPDATE outbox_events SET last_error = ? WHERE id = ?";

    private final Transactions database;
    private final BoundLayout binding;
    private final WriteBack writeBack;
    private final PendingWriteBacks pending;
    private final QueueDeadLetters repair = new QueueDeadLetters();
    private final AtomicLong lastMaintenance = new AtomicLong(System.nanoTime() - MAINTENANCE_INTERVAL);

    LayoutImporter(Transactions database, BoundLayout binding, WriteBack writeBack, PendingWriteBacks pending) {
        this.database = database;
        this.binding = binding;
        this.writeBack = writeBack;
        this.pending = pending;
    }

    /** The id of a row, as text, and the id of its event. */
    private record Row(String source, UUID event) {
        static List<Row> read(ResultSet rows) throws SQLException {
            List<Row> found = new ArrayList<>();
            while (rows.next()) {
                found.add(new Row(rows.getString(1), rows.getObject(2, UUID.class)));
            }
            return found;
        }
    }

    /** Imports waiting rows until {@link #MAX_WAITING} copies wait. */
    void importWaiting() {
        long last = lastMaintenance.get();
        if (System.nanoTime() - last >= MAINTENANCE_INTERVAL
                && lastMaintenance.compareAndSet(last, System.nanoTime())) {
            writePending();
            reimportReturned();
        }
        // Bounded: the relay does not look for ready lanes while this loop runs.
        for (int left = MAX_WAITING; left > 0 && anyWaiting() && importChunk() == CHUNK; left -= CHUNK) {}
    }

    /**
     * Applies the settings of an import to the transaction.
     *
     * <p>Waybill's table is empty most of the time, also when statistics are gathered. A plan based on these scans the whole
     * table for each waiting row, and a session keeps that plan when the table has thousands of rows. JIT is off, because
     * the high cost of a plan without sequential scans would trigger it. With row_security off, policies that hide rows
     * cause an error; hidden rows would never be published.
     *
     * <p>The time limits cover an application that has locked its whole table, and a relay that is frozen inside the
     * transaction, which must not keep the lock of the import.
     */
    static Sql withSettings(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.exists("SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),"
                + " set_config('row_security', 'off', true),"
                + " set_config('lock_timeout', '2s', true), set_config('statement_timeout', '60s', true),"
                + " set_config('idle_in_transaction_session_timeout', '30s', true)");
        return sql;
    }

    /** Does not lock, so that an idle relay writes nothing. */
    private boolean anyWaiting() {
        return database.transaction(
                what("search"), c -> withSettings(c).exists(binding.sql(c).anyWaiting()));
    }

    private int importChunk() {
        return database.transaction(what("import events from"), c -> {
            Sql sql = withSettings(c);
            if (!sql.exists(LOCK)) {
                return 0; // another relay imports
            }
            int room = MAX_WAITING
                    - sql.query(COUNT_WAITING, row -> {
                        row.next();
                        return row.getInt(1);
                    });
            if (room <= 0) {
                return 0;
            }
            List<Row> rows = sql.query(binding.sql(c).nextRows(), Row::read, Math.min(CHUNK, room));
            if (!rows.isEmpty()) {
                importRows(c, sql, rows);
            }
            return rows.size();
        });
    }

    private void importRows(Connection connection, Sql sql, List<Row> rows) throws SQLException {
        LayoutSql layout = binding.sql(connection);
        List<String> sources = sources(rows);
        if (!binding.table(connection).sameIds()) {
            sql.update(INSERT_SOURCES, rows.stream().map(Row::event).toList(), sources);
        }
        // The claim mark is written first, so that a row that turns out to be unreadable does not end up as claimed.
        String claim = layout.claim();
        if (claim != null) {
            sql.update(claim, sources, sources);
        }
        if (!attempt(connection, () -> sql.update(layout.importRows(), sources))) {
            for (Row row : rows) {
                importAlone(connection, sql, row);
            }
        }
    }

    private static List<String> sources(List<Row> rows) {
        return rows.stream().map(Row::source).toList();
    }

    /**
     * Imports one row of a chunk that has an unreadable row. The unreadable row becomes a dead letter, so that the others
     * can continue.
     */
    private void importAlone(Connection connection, Sql sql, Row row) throws SQLException {
        List<String> source = List.of(row.source());
        String[] reason = {""};
        boolean read =
                attempt(connection, () -> sql.update(binding.sql(connection).importRows(), source), reason);
        if (!read) {
            importAsDeadLetter(connection, sql, row, reason[0]);
        }
    }

    private void importAsDeadLetter(Connection connection, Sql sql, Row row, String reason) throws SQLException {
        LOG.warn(
                "Row {} of {} becomes a dead letter: {}",
                row.source(),
                binding.layout().table(),
                LogText.oneLine(reason));
        sql.update(binding.sql(connection).importUnreadable(), unreadableError(reason), List.of(row.source()));
        writeDead(connection, sql, row);
    }

    private String unreadableError(String reason) {
        return StorableText.sanitize(
                "This row cannot be read as an event: " + reason + ". Correct it in "
                        + binding.layout().table() + " and set it to waiting there.",
                4_000);
    }

    private void writeDead(Connection connection, Sql sql, Row row) throws SQLException {
        WriteBack.Result result = writeBack.attempt(connection, List.of(), List.of(), List.of(row.event()));
        pending.addDead(sql, List.copyOf(result.pending()));
    }

    @FunctionalInterface
    private interface Step {
        void run() throws SQLException;
    }

    private static boolean attempt(Connection connection, Step step) throws SQLException {
        return attempt(connection, step, new String[1]);
    }

    /**
     * Runs the step. Rolls it back if it fails because of the data of a row; any other error is thrown.
     *
     * @param reason receives the error in its first element
     */
    private static boolean attempt(Connection connection, Step step, String[] reason) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            step.run();
            connection.releaseSavepoint(before);
            return true;
        } catch (SQLException e) {
            if (!SqlState.of(e).startsWith("22") && !SqlState.of(e).startsWith("23")) {
                throw e;
            }
            connection.rollback(before);
            reason[0] = String.valueOf(e.getMessage())
                    .lines()
                    .findFirst()
                    .orElse("")
                    .replaceFirst("^ERROR: ", "");
            return false;
        }
    }

    /** Retries the write-backs that the served table has refused so far. */
    private void writePending() {
        if (database.transaction(what("look for pending write-backs of"), c -> pending.any(withSettings(c)))) {
            database.transaction(what("write back into"), c -> {
                Sql sql = withSettings(c);
                if (sql.exists(LOCK)) {
                    pending.write(c, sql);
                }
                return true;
            });
        }
    }

    /** Replays dead letters whose rows the application has set back to waiting, with the current content of the rows. */
    private void reimportReturned() {
        boolean any = database.transaction(
                what("search"), c -> withSettings(c).exists(binding.sql(c).returned()));
        if (any) {
            database.transaction(what("import events again from"), c -> {
                Sql sql = withSettings(c);
                if (sql.exists(LOCK)) {
                    for (Row row : sql.query(binding.sql(c).returned(), Row::read)) {
                        reimport(c, sql, row);
                    }
                }
                return true;
            });
        }
    }

    /** A dead letter that blocks its key keeps its place; any other is imported again as if it were new. */
    private void reimport(Connection connection, Sql sql, Row row) throws SQLException {
        List<UUID> event = List.of(row.event());
        repair.lock(sql, event);
        if (sql.update(DELETE_FINISHED, row.event()) > 0) {
            return;
        }
        String[] reason = {""};
        if (attempt(connection, () -> sql.update(binding.sql(connection).refresh(), row.event()), reason)) {
            repair.replay(sql, event);
        } else {
            sql.update(UPDATE_ERROR, unreadableError(reason[0]), row.event());
            writeDead(connection, sql, row);
        }
    }

    private String what(String verb) {
        return verb + " " + binding.layout().table();
    }
}

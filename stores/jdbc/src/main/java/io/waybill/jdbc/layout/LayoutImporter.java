package io.waybill.jdbc.layout;

import io.waybill.internal.LogText;
import io.waybill.jdbc.internal.queue.DeadLetterRepair;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlErrors;
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
 * Copies waiting rows of a table that is not ours into Waybill's own queue, in the order of the layout.
 *
 * <p>One relay at a time: whoever has the row of {@code outbox_intake} locked. So the copies get their sequence numbers in the order
 * in which rows were picked, also across intakes, and a later intake sees what an earlier one has taken. A row that an intake sees
 * was committed, and so was every earlier row of its key, provided that writers serialise on the key; hence the order of each key
 * is the order of the layout's columns. Everything that was taken and is not finished is in Waybill's table, and
 * skipped by that, not by a state in the row: rows that another relay had left as claimed are taken like any other.
 *
 * <p>A row that the application has locked is taken in its turn, as it was last committed: skipping it would let later rows of its
 * key overtake it. It only lacks the layout's mark of claimed rows, which nothing relies on. No statement waits for a row lock.
 *
 * <p>It stops while enough copies wait for their first attempt. Those that are parked behind a failing event do not count, or one
 * bad key could stop all others.
 */
final class LayoutImporter {
    /** Rows taken in one transaction. */
    static final int CHUNK = 1_000;

    /** Copies that may wait for their first attempt. */
    static final int ENOUGH = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(LayoutImporter.class);
    private static final long LOOK_FOR_RETURNED = TimeUnit.SECONDS.toNanos(1);

    private static final String LOCK = "SELECT 1 FROM outbox_intake FOR UPDATE SKIP LOCKED";

    private static final String OPEN = "SELECT count(*) FROM (SELECT 1 FROM outbox_events WHERE processed_at IS NULL"
            + " AND next_attempt_at IS NULL LIMIT " + ENOUGH + ") o";

    private static final String REMEMBER = "INSERT INTO outbox_sources (id, source_id)"
            + " SELECT * FROM unnest(CAST(? AS uuid[]), CAST(? AS text[])) ON CONFLICT DO NOTHING";

    private static final String FORGET_FINISHED =
            "DELETE FROM outbox_events WHERE id = ? AND processed_at IS NOT NULL AND state IN ('DEAD_LETTER', 'DISCARDED')";

    private static final String STILL_UNREADABLE = "UPDATE outbox_events SET last_error = ? WHERE id = ?";

    private final Transactions database;
    private final BoundLayout binding;
    private final WriteBack telling;
    private final PendingWriteBacks debt;
    private final DeadLetterRepair repair = new DeadLetterRepair();
    private final AtomicLong looked = new AtomicLong(System.nanoTime() - LOOK_FOR_RETURNED);

    LayoutImporter(Transactions database, BoundLayout binding, WriteBack telling, PendingWriteBacks debt) {
        this.database = database;
        this.binding = binding;
        this.telling = telling;
        this.debt = debt;
    }

    /** A row, as text, and the event that it is. */
    private record Row(String source, UUID event) {
        static List<Row> read(ResultSet rows) throws SQLException {
            List<Row> found = new ArrayList<>();
            while (rows.next()) {
                found.add(new Row(rows.getString(1), rows.getObject(2, UUID.class)));
            }
            return found;
        }
    }

    /** Takes in what waits, as far as there is room for it. */
    void takeIn() {
        long last = looked.get();
        if (System.nanoTime() - last >= LOOK_FOR_RETURNED && looked.compareAndSet(last, System.nanoTime())) {
            tellOwed();
            takeBack();
        }
        // Not for ever: while this goes on, nobody is sent to the lanes that have something to do.
        for (int left = ENOUGH; left > 0 && anyWaiting() && takeChunk() == CHUNK; left -= CHUNK) {}
    }

    /**
     * Waybill's table is empty most of the time, also when statistics are taken. A plan made of these reads it as a whole for each row
     * that waits, and is kept for a session when the table has thousands. Without JIT, which a discouraged plan would set off. Rows that
     * policies hide would never be published, so they are an error.
     *
     * <p>With limits: the application may have locked its whole table, and a process that is frozen in the middle must not keep
     * the lock of the intake.
     */
    static Sql byIndex(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.exists("SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),"
                + " set_config('row_security', 'off', true),"
                + " set_config('lock_timeout', '2s', true), set_config('statement_timeout', '60s', true),"
                + " set_config('idle_in_transaction_session_timeout', '30s', true)");
        return sql;
    }

    /** Asked without the lock: a relay that is idle writes nothing. */
    private boolean anyWaiting() {
        return database.transaction(
                what("look into"), c -> byIndex(c).exists(binding.sql(c).anyWaiting()));
    }

    private int takeChunk() {
        return database.transaction(what("take events from"), c -> {
            Sql sql = byIndex(c);
            if (!sql.exists(LOCK)) {
                return 0; // another relay is at it
            }
            int room = ENOUGH
                    - sql.query(OPEN, row -> {
                        row.next();
                        return row.getInt(1);
                    });
            if (room <= 0) {
                return 0;
            }
            List<Row> rows = sql.query(binding.sql(c).next(), Row::read, Math.min(CHUNK, room));
            if (!rows.isEmpty()) {
                take(c, sql, rows);
            }
            return rows.size();
        });
    }

    private void take(Connection connection, Sql sql, List<Row> rows) throws SQLException {
        LayoutSql layout = binding.sql(connection);
        List<String> sources = sources(rows);
        if (!binding.table(connection).sameIds()) {
            sql.update(REMEMBER, rows.stream().map(Row::event).toList(), sources);
        }
        // First, so that rows which turn out to be unreadable do not end as claimed.
        String claim = layout.claim();
        if (claim != null) {
            sql.update(claim, sources, sources);
        }
        if (!attempt(connection, () -> sql.update(layout.take(), sources))) {
            for (Row row : rows) {
                takeAlone(connection, sql, row);
            }
        }
    }

    private static List<String> sources(List<Row> rows) {
        return rows.stream().map(Row::source).toList();
    }

    /** One of them cannot be read: it becomes a dead letter, and stops nobody. */
    private void takeAlone(Connection connection, Sql sql, Row row) throws SQLException {
        List<String> source = List.of(row.source());
        String[] reason = {""};
        boolean read =
                attempt(connection, () -> sql.update(binding.sql(connection).take(), source), reason);
        if (!read) {
            bury(connection, sql, row, reason[0]);
        }
    }

    private void bury(Connection connection, Sql sql, Row row, String reason) throws SQLException {
        LOG.warn(
                "Row {} of {} becomes a dead letter: {}",
                row.source(),
                binding.layout().table(),
                LogText.oneLine(reason));
        sql.update(binding.sql(connection).unreadable(), unreadable(reason), List.of(row.source()));
        tellDead(connection, sql, row);
    }

    private String unreadable(String reason) {
        return SqlErrors.storable(
                "This row cannot be read as an event: " + reason + ". Mend it in "
                        + binding.layout().table() + " and set it to waiting there.",
                4_000);
    }

    private void tellDead(Connection connection, Sql sql, Row row) throws SQLException {
        WriteBack.Result result = telling.attempt(connection, List.of(), List.of(), List.of(row.event()));
        debt.dead(sql, List.copyOf(result.owed()));
    }

    @FunctionalInterface
    private interface Step {
        void run() throws SQLException;
    }

    private static boolean attempt(Connection connection, Step step) throws SQLException {
        return attempt(connection, step, new String[1]);
    }

    /** Takes a step back that fails because of what a row holds, and only then. */
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

    private void tellOwed() {
        if (database.transaction(what("look for what is owed to"), c -> debt.any(byIndex(c)))) {
            database.transaction(what("tell the rows of"), c -> {
                Sql sql = byIndex(c);
                if (sql.exists(LOCK)) {
                    debt.tell(c, sql);
                }
                return true;
            });
        }
    }

    /** Dead letters whose rows were set back to waiting by hand: they are replayed, as the rows are now. */
    private void takeBack() {
        boolean any = database.transaction(
                what("look into"), c -> byIndex(c).exists(binding.sql(c).returned()));
        if (any) {
            database.transaction(what("take events back from"), c -> {
                Sql sql = byIndex(c);
                if (sql.exists(LOCK)) {
                    for (Row row : sql.query(binding.sql(c).returned(), Row::read)) {
                        takeBack(c, sql, row);
                    }
                }
                return true;
            });
        }
    }

    /** One that blocks its key keeps its place; any other is taken in again as if it were new. */
    private void takeBack(Connection connection, Sql sql, Row row) throws SQLException {
        List<UUID> event = List.of(row.event());
        repair.lock(sql, event);
        if (sql.update(FORGET_FINISHED, row.event()) > 0) {
            return;
        }
        String[] reason = {""};
        if (attempt(connection, () -> sql.update(binding.sql(connection).refresh(), row.event()), reason)) {
            repair.replay(sql, event);
        } else {
            sql.update(STILL_UNREADABLE, unreadable(reason[0]), row.event());
            tellDead(connection, sql, row);
        }
    }

    private String what(String verb) {
        return verb + " " + binding.layout().table();
    }
}

package io.waybill.jdbc.internal.journal;

import static java.util.Objects.requireNonNull;

import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first round trip of a journal transaction: it locks the cursors under their fences, takes the snapshot for new
 * windows, and reads the first page of each window that the snapshot opens. These are three statements, because settings
 * apply only to later statements, and because the snapshot must be taken after the locks.
 *
 * @param cursors the locked cursor of each lease, in the order of the leases
 * @param newWindow the window that a lane can open in this transaction; null when no window can be opened before the next
 *     transaction
 * @param firstPages the first page of the new window, for each lease. A page is valid only if all claimed events of the lane
 *     were published and the lane opens its window in this transaction.
 */
public record TransactionStart(
        List<LockedCursor> cursors, Cursor.@Nullable NewWindow newWindow, List<WindowPage> firstPages) {

    /**
     * The sequence is read once, before the first lock gives this transaction its transaction number; {@link Cursor#opened}
     * relies on that. MATERIALIZED prevents a second read for the next lane, or when a lock finds a newer version of a row.
     *
     * <p>The cursors are locked as well as the lanes. If the answer to an earlier commit was lost, that transaction
     * therefore ends before this one reads the cursor. Every transaction that locks several lanes locks them in ascending
     * order, so there are no deadlocks.
     */
    static final String LOCK = """
            WITH q AS MATERIALIZED (
                SELECT s.value, pg_control_system.system_identifier AS cluster, (%s) AS origin, (%s) AS sequence,
                       current_setting('transaction_isolation') AS isolation,
                       %s
                FROM (%s) s, pg_control_system())
            SELECT l.lane, c.done::text, c.done_seq, c.open::text, c.open_seq, c.open_end, c.pos, c.claimed, c.crashes, c.suspect,
                   l.expires_at,
                   EXISTS (SELECT 1 FROM outbox_held h WHERE outbox_lane(h.aggregate_id) = l.lane
                           AND h.next_attempt_at < 'infinity' AND h.next_attempt_at <= now()),
                   q.value, c.cluster = q.cluster, q.isolation, c.xmin::text::bigint,
                   c.origin = q.origin, c.sequence = q.sequence, c.broken, q.durable,
                   %s
            FROM q CROSS JOIN unnest(?::int[], ?::text[], ?::bigint[]) AS t (lane, owner, fence)
            JOIN outbox_lanes l ON l.lane = t.lane AND l.owner = t.owner AND l.fence = t.fence
            JOIN outbox_cursors c ON c.lane = l.lane
            ORDER BY l.lane
            FOR KEY SHARE OF l FOR NO KEY UPDATE OF c""".formatted(
                    PostgresAssumption.Sources.ORIGIN,
                    PostgresAssumption.Sources.SEQUENCE,
                    LaneTable.DURABLE,
                    Cursor.SEQUENCE,
                    LaneTable.END_WITH_LEASE);

    /** The columns of {@link #LOCK}, in order, as far as they are read. */
    private enum Column {
        LANE(1),
        DONE(2),
        DONE_SEQ(3),
        OPEN(4),
        OPEN_SEQ(5),
        OPEN_END(6),
        POS(7),
        CLAIMED(8),
        CRASHES(9),
        SUSPECT(10),
        LEASE_UNTIL(11),
        RETRY_DUE(12),
        SEQUENCE(13),
        SAME_CLUSTER(14),
        ISOLATION(15),
        MARK(16),
        SAME_ORIGIN(17),
        SAME_SEQUENCE(18),
        BROKEN(19);

        private final int index;

        Column(int index) {
            this.index = index;
        }

        int index() {
            return index;
        }

        boolean isTrue(ResultSet row) throws SQLException {
            return row.getBoolean(index());
        }

        int integer(ResultSet row) throws SQLException {
            return row.getInt(index());
        }

        long number(ResultSet row) throws SQLException {
            return row.getLong(index());
        }

        @Nullable
        Long numberOrNull(ResultSet row) throws SQLException {
            long number = row.getLong(index());
            return row.wasNull() ? null : number;
        }

        @Nullable
        String text(ResultSet row) throws SQLException {
            return row.getString(index());
        }
    }

    /**
     * The cursor of a lane, locked until the transaction ends.
     *
     * @param mark the number of the transaction that wrote the cursor; see {@link io.waybill.jdbc.internal.lane.ClaimMarks}
     * @param retryDue whether the lane has a retry that is due
     * @param sequence the sequence, read before this transaction got its number
     */
    record LockedCursor(Cursor cursor, long mark, OffsetDateTime leaseUntil, boolean retryDue, long sequence) {}

    /** Locks one lane and reads no events. */
    public static LockedCursor lock(Connection connection, Lease lease) throws SQLException {
        return lock(connection, List.of(lease), 0).cursors.get(0);
    }

    /**
     * Locks the cursors of these lanes. Until the transaction ends, no other relay can take the lanes over; the commit of the
     * transaction is durable.
     *
     * @param pageSize the largest number of events in a page
     * @throws FencedException if one of the leases is lost
     */
    public static TransactionStart lock(Connection connection, List<Lease> leases, int pageSize) throws SQLException {
        Reader reader = new Reader(connection, leases, pageSize);
        Array lanes = CursorTable.array(connection, "int", leases, Lease::lane);
        StatementPipeline pipeline = new StatementPipeline(reader.sql);
        pipeline.settings();
        pipeline.query(
                LOCK,
                reader::readCursors,
                lanes,
                CursorTable.array(connection, "text", leases, Lease::relay),
                CursorTable.array(connection, "bigint", leases, Lease::fence));
        pipeline.query(WindowPage.newWindowSql(pageSize), reader::readNewWindow, lanes);
        pipeline.send();
        return new TransactionStart(reader.cursors, reader.newWindow, reader.firstPages);
    }

    /** Reads and checks the results, in the order of the statements. */
    private static final class Reader {
        private final Sql sql;
        private final List<Lease> leases;
        private final int pageSize;
        private final List<LockedCursor> cursors = new ArrayList<>();
        private Cursor.@Nullable NewWindow newWindow;
        private List<WindowPage> firstPages = List.of();

        Reader(Connection connection, List<Lease> leases, int pageSize) throws SQLException {
            this.sql = Sql.on(connection);
            this.leases = leases;
            this.pageSize = pageSize;
        }

        void readCursors(ResultSet rows) throws SQLException {
            Map<Integer, LockedCursor> locked = new HashMap<>();
            while (rows.next()) {
                requireAssumptions(rows);
                locked.put(Column.LANE.integer(rows), lockedCursor(rows));
            }
            for (Lease lease : leases) {
                LockedCursor lane = locked.get(lease.lane());
                if (lane == null) {
                    throw new FencedException(lease);
                }
                if (lane.sequence < lane.cursor.openEnd()) {
                    requireSequence(lane.cursor);
                }
                cursors.add(lane);
            }
        }

        void readNewWindow(ResultSet rows) throws SQLException {
            WindowPage.Readings pages = new WindowPage.Readings(
                    sql.dialect(),
                    cursors.stream().map(lane -> lane.cursor.closed()).toList());
            rows.next();
            String snapshot = requireNonNull(rows.getString(WindowPage.Column.SNAPSHOT.index()));
            long end = rows.getLong(WindowPage.Column.SEQUENCE.index());
            for (LockedCursor lane : cursors) {
                if (lane.cursor.isAheadOf(snapshot)) {
                    throw PostgresAssumption.CURSORS_IN_THE_PAST.exception("" + lane.cursor.lane());
                }
                if (end < lane.sequence) {
                    throw new SequenceSetBackException(lane.cursor.lane(), lane.sequence);
                }
            }
            newWindow = Cursor.newWindow(snapshot, end, rows.getLong(WindowPage.Column.OWN_TRANSACTION.index()));
            boolean anyEvent =
                    rows.getString(WindowPage.EVENT_ID) != null; // a row without an event carries only the snapshot
            if (anyEvent) {
                do {
                    pages.add(rows);
                } while (rows.next());
            }
            firstPages = pages.pages(pageSize);
        }

        /**
         * If this transaction waited for the cursor, the cursor may rightly be ahead of the sequence as it was read before
         * the wait. If it is ahead of the sequence as it is now, the sequence was set back: the next events would get
         * numbers that the cursor has already passed, and no window would contain them.
         */
        private void requireSequence(Cursor cursor) throws SQLException {
            long now = sql.query(Cursor.SEQUENCE, row -> {
                row.next();
                return row.getLong(1);
            });
            if (now < cursor.openEnd()) {
                throw new SequenceSetBackException(cursor.lane(), cursor.openEnd());
            }
        }
    }

    private static LockedCursor lockedCursor(ResultSet row) throws SQLException {
        Cursor cursor = new Cursor(
                Column.LANE.integer(row),
                requireNonNull(Column.DONE.text(row)),
                Column.DONE_SEQ.number(row),
                Column.OPEN.text(row),
                Column.OPEN_SEQ.number(row),
                Column.OPEN_END.number(row),
                Column.POS.number(row),
                Column.CLAIMED.numberOrNull(row),
                Column.CRASHES.integer(row),
                Column.SUSPECT.number(row));
        return new LockedCursor(
                cursor,
                Column.MARK.number(row),
                row.getObject(Column.LEASE_UNTIL.index(), OffsetDateTime.class),
                Column.RETRY_DUE.isTrue(row),
                Column.SEQUENCE.number(row));
    }

    /** Checks the assumptions without which the cursor could move past events that it has not read. */
    private static void requireAssumptions(ResultSet row) throws SQLException {
        if (!Column.SAME_CLUSTER.isTrue(row)) {
            throw PostgresAssumption.SAME_CLUSTER.exception("");
        }
        if (!Column.SAME_ORIGIN.isTrue(row)) {
            throw PostgresAssumption.SAME_ORIGIN.exception("");
        }
        String isolation = requireNonNull(Column.ISOLATION.text(row));
        if (!isolation.equals("read committed")) {
            throw PostgresAssumption.READ_COMMITTED.exception(isolation);
        }
        String broken = Column.BROKEN.text(row);
        if (broken != null) {
            throw broken.equals("REPLICATED")
                    ? PostgresAssumption.NOT_REPLICATED.exception("")
                    : new SequenceSetBackException(Column.LANE.integer(row), Column.OPEN_END.number(row));
        }
        if (!Column.SAME_SEQUENCE.isTrue(row)) {
            throw PostgresAssumption.SAME_SEQUENCE.exception("");
        }
        if (Column.SEQUENCE.numberOrNull(row) == null) {
            throw PostgresAssumption.SEQUENCE_READABLE.exception("this role");
        }
    }
}

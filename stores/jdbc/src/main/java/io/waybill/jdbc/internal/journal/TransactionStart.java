package io.waybill.jdbc.internal.journal;

import static java.util.Objects.requireNonNull;

import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
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
                LockedCursor.LOCK,
                reader::readCursors,
                lanes,
                CursorTable.array(connection, "text", leases, Lease::relay),
                CursorTable.array(connection, "bigint", leases, Lease::fence));
        pipeline.query(WindowPage.newWindowSql(pageSize), reader::readNewWindow, lanes, lanes);
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
                LockedCursor cursor = LockedCursor.read(rows);
                locked.put(cursor.cursor().lane(), cursor);
            }
            for (Lease lease : leases) {
                LockedCursor lane = locked.get(lease.lane());
                if (lane == null) {
                    throw new FencedException(lease);
                }
                if (lane.sequence() < lane.cursor().openEnd()) {
                    requireSequence(lane.cursor());
                }
                cursors.add(lane);
            }
        }

        void readNewWindow(ResultSet rows) throws SQLException {
            WindowPage.Readings pages = new WindowPage.Readings(
                    sql.dialect(),
                    cursors.stream().map(lane -> lane.cursor().closed()).toList(),
                    rows);
            rows.next();
            String snapshot = requireNonNull(rows.getString("snapshot"));
            long end = rows.getLong("last_sequence");
            for (LockedCursor lane : cursors) {
                if (lane.cursor().isAheadOf(snapshot)) {
                    throw PostgresAssumption.CURSORS_IN_THE_PAST.exception(
                            "" + lane.cursor().lane());
                }
                if (end < lane.sequence()) {
                    throw new SequenceSetBackException(lane.cursor().lane(), lane.sequence());
                }
            }
            if (rows.getBoolean("number_passed")) {
                throw new SequenceSetBackException(cursors.get(0).cursor().lane(), end);
            }
            newWindow = Cursor.newWindow(snapshot, end, rows.getLong("own_transaction"));
            boolean anyEvent = rows.getString(EventRows.ID) != null;
            if (anyEvent) {
                do {
                    pages.addRow();
                } while (rows.next());
            }
            firstPages = pages.pages(pageSize);
        }

        /**
         * Compares the cursor with the current sequence number. The number that was read before this transaction waited for
         * the cursor may be lower than the cursor; that is no error. If the current number is lower, the sequence was set
         * back: the next events would get numbers that the cursor has already passed, and no window would contain them.
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
}

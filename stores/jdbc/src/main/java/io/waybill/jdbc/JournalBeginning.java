package io.waybill.jdbc;

import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import io.waybill.store.StoreException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction of the journal begins with, in one round trip: the cursors under their fences, the snapshot of the windows
 * that may be opened, and the first pages of those. They are two statements, since the snapshot must be younger than the locks.
 *
 * @param found for each lease
 * @param view null when windows must wait for the next transaction
 * @param pages for each lease; holds for a lane that opens its window with nothing left to settle but events that went out
 */
record JournalBeginning(List<Found> found, JournalCursor.@Nullable View view, List<JournalPage> pages) {

    /**
     * The sequence is read once, before the first lock gives this transaction its number; {@link JournalCursor#opened} relies on that.
     * MATERIALIZED keeps it from being read again for the next lane, or should a lock find a newer row. Locking the cursors too
     * lets a transaction whose answer got lost end before its successor reads what it left behind. All who lock several lanes
     * do so in their order.
     */
    static final String READ =
            """
            WITH q AS MATERIALIZED (
                SELECT s.value, pg_control_system.system_identifier AS cluster,
                       current_setting('transaction_isolation') AS isolation,
                       %s
                FROM (%s) s, pg_control_system())
            SELECT l.lane, c.done::text, c.done_seq, c.open::text, c.open_seq, c.open_end, c.pos, c.claimed, c.crashes, c.suspect,
                   l.expires_at,
                   EXISTS (SELECT 1 FROM outbox_held h WHERE outbox_lane(h.aggregate_id) = l.lane
                           AND h.next_attempt_at < 'infinity' AND h.next_attempt_at <= now()),
                   q.value, c.cluster = q.cluster, q.isolation, c.xmin::text::bigint,
                   q.durable, q.plans, q.bitmaps, q.scans, q.jit,
                   %s
            FROM q CROSS JOIN unnest(?::int[], ?::text[], ?::bigint[]) AS t (lane, owner, fence)
            JOIN outbox_lanes l ON l.lane = t.lane AND l.owner = t.owner AND l.fence = t.fence
            JOIN outbox_cursors c ON c.lane = l.lane
            ORDER BY l.lane
            FOR KEY SHARE OF l FOR NO KEY UPDATE OF c""".formatted(LaneTable.CLAIM_SETTINGS, JournalCursor.SEQUENCE, LaneTable.END_WITH_LEASE);

    private static final Map<Integer, String> SQL = new ConcurrentHashMap<>();

    /** Kept, since it is long and the driver knows its statements by their text. */
    private static String sql(int limit) {
        return SQL.computeIfAbsent(limit, some -> READ + ";\n" + JournalPage.window(some));
    }

    /**
     * A cursor as found, and what else the same statement told.
     *
     * @param mark of the transaction that wrote the cursor
     */
    record Found(JournalCursor cursor, long mark, OffsetDateTime leaseUntil, boolean due, long sequence) {}

    static Found under(Connection connection, Lease lease) throws SQLException {
        return under(connection, List.of(lease), 0).found.get(0);
    }

    /**
     * Proves that the lanes are ours until this transaction ends, and makes its commit a durable one.
     *
     * @param limit of events in a page
     */
    static JournalBeginning under(Connection connection, List<Lease> leases, int limit) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql(limit))) {
            Array lanes = JournalCursors.array(connection, "int", leases, Lease::lane);
            query.setArray(1, lanes);
            query.setArray(2, JournalCursors.array(connection, "text", leases, Lease::relay));
            query.setArray(3, JournalCursors.array(connection, "bigint", leases, Lease::fence));
            query.setArray(4, lanes);
            query.execute();
            List<Found> found = found(connection, leases, query.getResultSet());
            query.getMoreResults();
            return opening(connection, found, query.getResultSet(), limit);
        }
    }

    private static List<Found> found(Connection connection, List<Lease> leases, ResultSet rows) throws SQLException {
        Map<Integer, Found> lanes = new HashMap<>();
        while (rows.next()) {
            lanes.put(rows.getInt(1), found(rows));
        }
        List<Found> all = new ArrayList<>(leases.size());
        for (Lease lease : leases) {
            Found one = lanes.get(lease.lane());
            if (one == null) {
                throw new FencedException(lease);
            }
            if (one.sequence < one.cursor.openEnd()) {
                requireSequence(connection, one.cursor);
            }
            all.add(one);
        }
        return all;
    }

    private static JournalBeginning opening(Connection connection, List<Found> found, ResultSet rows, int limit)
            throws SQLException {
        JournalPage.Readings pages = new JournalPage.Readings(
                Dialect.of(connection),
                found.stream().map(one -> one.cursor.closed()).toList());
        rows.next();
        JournalCursor.View view = JournalCursor.view(
                rows.getString(EventRows.COUNT + 6),
                rows.getLong(EventRows.COUNT + 7),
                rows.getLong(EventRows.COUNT + 8));
        if (rows.getString(1) != null) { // else there is no event, only the snapshot
            do {
                pages.add(rows);
            } while (rows.next());
        }
        return new JournalBeginning(found, view, pages.pages(limit));
    }

    private static Found found(ResultSet row) throws SQLException {
        requireThisCluster(row.getBoolean(14));
        requireReadCommitted(row.getString(15));
        long claimed = row.getLong(8);
        Long inFlight = row.wasNull() ? null : claimed;
        JournalCursor cursor = new JournalCursor(
                row.getInt(1),
                row.getString(2),
                row.getLong(3),
                row.getString(4),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7),
                inFlight,
                row.getInt(9),
                row.getLong(10));
        return new Found(
                cursor, row.getLong(16), row.getObject(11, OffsetDateTime.class), row.getBoolean(12), row.getLong(13));
    }

    private static void requireThisCluster(boolean same) {
        if (!same) {
            throw new StoreException(
                    "The journal's cursors come from another PostgreSQL cluster: this database was restored"
                            + " from a dump, and transaction numbers mean nothing here. Run waybill schema rebase, which goes on"
                            + " behind the last event that was published.",
                    null);
        }
    }

    /**
     * A cursor that was waited for may rightly be ahead of the sequence as it was read before. Of a sequence that was set back,
     * the next events would get numbers that nobody looks for any more.
     */
    private static void requireSequence(Connection connection, JournalCursor cursor) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(JournalCursor.SEQUENCE);
                ResultSet row = query.executeQuery()) {
            row.next();
            if (row.getLong(1) < cursor.openEnd()) {
                throw new StoreException(
                        "The sequence outbox_events_seq_seq stands at " + row.getLong(1) + ", but lane " + cursor.lane()
                                + " has seen " + cursor.openEnd() + ": somebody has set it back, as TRUNCATE … RESTART"
                                + " IDENTITY does. Run waybill schema rebase, which delivers what was written since.",
                        null);
            }
        }
    }

    /** In a stricter isolation the snapshot would be older than the sequence number read before it. */
    private static void requireReadCommitted(String isolation) {
        if (!isolation.equals("read committed")) {
            throw new StoreException(
                    "The journal needs connections in READ COMMITTED isolation, these are in " + isolation
                            + ". Configure the pool of the relay accordingly.",
                    null);
        }
    }
}

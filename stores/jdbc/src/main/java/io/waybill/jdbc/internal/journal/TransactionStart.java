package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PostgresDialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
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
 * that may be opened, and the first pages of those. They are three statements: the settings hold for those
 * behind them, and the snapshot must be younger than the locks.
 *
 * @param found for each lease
 * @param view null when windows must wait for the next transaction
 * @param pages for each lease; holds for a lane that opens its window with nothing left to settle but events that went out
 */
public record TransactionStart(List<Found> found, Cursor.@Nullable View view, List<WindowPage> pages) {

    /**
     * The sequence is read once, before the first lock gives this transaction its number; {@link Cursor#opened} relies on that.
     * MATERIALIZED keeps it from being read again for the next lane, or should a lock find a newer row. Locking the cursors too
     * lets a transaction whose answer got lost end before its successor reads what it left behind. All who lock several lanes
     * do so in their order.
     */
    static final String READ = """
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

    private static final Map<Integer, String> SQL = new ConcurrentHashMap<>();

    /** Kept, since it is long and the driver knows its statements by their text. */
    private static String sql(int limit) {
        return SQL.computeIfAbsent(
                limit, some -> PostgresDialect.SETTINGS + ";\n" + READ + ";\n" + WindowPage.window(some));
    }

    /**
     * A cursor as found, and what else the same statement told.
     *
     * @param mark of the transaction that wrote the cursor
     */
    record Found(Cursor cursor, long mark, OffsetDateTime leaseUntil, boolean due, long sequence) {}

    public static Found under(Connection connection, Lease lease) throws SQLException {
        return under(connection, List.of(lease), 0).found.get(0);
    }

    /**
     * Proves that the lanes are ours until this transaction ends, and makes its commit a durable one.
     *
     * @param limit of events in a page
     */
    public static TransactionStart under(Connection connection, List<Lease> leases, int limit) throws SQLException {
        try (PreparedStatement query = Sql.statement(connection, sql(limit))) {
            Array lanes = CursorTable.array(connection, "int", leases, Lease::lane);
            query.setArray(1, lanes);
            query.setArray(2, CursorTable.array(connection, "text", leases, Lease::relay));
            query.setArray(3, CursorTable.array(connection, "bigint", leases, Lease::fence));
            query.setArray(4, lanes);
            query.execute(); // its first result is that of the settings
            query.getMoreResults();
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

    private static TransactionStart opening(Connection connection, List<Found> found, ResultSet rows, int limit)
            throws SQLException {
        WindowPage.Readings pages = new WindowPage.Readings(
                Dialect.of(connection),
                found.stream().map(one -> one.cursor.closed()).toList());
        rows.next();
        String snapshot = rows.getString(EventRows.COUNT + 6);
        long end = rows.getLong(EventRows.COUNT + 7);
        for (Found one : found) {
            if (one.cursor.ahead(snapshot)) {
                throw PostgresAssumption.CURSORS_IN_THE_PAST.exception("" + one.cursor.lane());
            }
            if (end < one.sequence) {
                throw new SequenceSetBackException(one.cursor.lane(), one.sequence);
            }
        }
        Cursor.View view = Cursor.view(snapshot, end, rows.getLong(EventRows.COUNT + 8));
        if (rows.getString(1) != null) { // else there is no event, only the snapshot
            do {
                pages.add(rows);
            } while (rows.next());
        }
        return new TransactionStart(found, view, pages.pages(limit));
    }

    private static Found found(ResultSet row) throws SQLException {
        requireAssumptions(row);
        long claimed = row.getLong(8);
        Long inFlight = row.wasNull() ? null : claimed;
        Cursor cursor = new Cursor(
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

    /** Those that could let the cursor pass events which it has not read. */
    private static void requireAssumptions(ResultSet row) throws SQLException {
        if (!row.getBoolean(14)) {
            throw PostgresAssumption.SAME_CLUSTER.exception("");
        }
        if (!row.getBoolean(17)) {
            throw PostgresAssumption.SAME_ORIGIN.exception("");
        }
        String isolation = row.getString(15);
        if (!isolation.equals("read committed")) {
            throw PostgresAssumption.READ_COMMITTED.exception(isolation);
        }
        String broken = row.getString(19);
        if (broken != null) {
            throw broken.equals("REPLICATED")
                    ? PostgresAssumption.NOT_REPLICATED.exception("")
                    : new SequenceSetBackException(row.getInt(1), row.getLong(6));
        }
        if (!row.getBoolean(18)) {
            throw PostgresAssumption.SAME_SEQUENCE.exception("");
        }
        row.getLong(13);
        if (row.wasNull()) {
            throw PostgresAssumption.SEQUENCE_READABLE.exception("this role");
        }
    }

    /**
     * A cursor that was waited for may rightly be ahead of the sequence as it was read before. Of a sequence that was set back,
     * the next events would get numbers that nobody looks for any more.
     */
    private static void requireSequence(Connection connection, Cursor cursor) throws SQLException {
        try (PreparedStatement query = Sql.statement(connection, Cursor.SEQUENCE);
                ResultSet row = query.executeQuery()) {
            row.next();
            if (row.getLong(1) < cursor.openEnd()) {
                throw new SequenceSetBackException(cursor.lane(), cursor.openEnd());
            }
        }
    }
}

package io.waybill.jdbc;

import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How far a lane has come, read under the fence at the beginning of a transaction and written back at its end.
 *
 * @param done everything visible in this snapshot is finished
 * @param doneSeq the sequence before {@code done} was taken
 * @param open the snapshot of the window that is being worked, null between two windows
 * @param openEnd the sequence after {@code open} was taken; stays when the window is closed
 * @param pos the window is settled up to this sequence number
 * @param claimed the window is claimed up to this one; null when nothing is in flight
 * @param crashes how many owners in a row ended while they held what lies up to {@code suspect}
 */
record JournalCursor(
        int lane,
        String done,
        long doneSeq,
        @Nullable String open,
        long openSeq,
        long openEnd,
        long pos,
        @Nullable Long claimed,
        int crashes,
        long suspect) {

    /** More numbers than this are not named one by one in a snapshot. */
    private static final int MOST_NAMED = 10_000;

    /** In sequence numbers, or in transactions: one that was open for long may have left much to look at. */
    private static final int FAR = 1_000;

    /**
     * The last number that was drawn. A SELECT from the sequence may see one that was not: PostgreSQL logs it 32 numbers ahead,
     * and until it has done so the sequence's row holds that number. The function waits for it.
     */
    static final String SEQUENCE = "SELECT coalesce(pg_sequence_last_value('outbox_events_seq_seq'), 0) AS value";

    /**
     * The sequence is read once, before the first lock gives this transaction its number; {@link #opened} relies on that.
     * MATERIALIZED keeps it from being read again for the next lane, or should a lock find a newer row. Locking the cursors too
     * lets a transaction whose answer got lost end before its successor reads what it left behind. All who lock several lanes
     * do so in their order.
     */
    static final String READ = """
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
            FOR KEY SHARE OF l FOR NO KEY UPDATE OF c""".formatted(LaneTable.CLAIM_SETTINGS, SEQUENCE, LaneTable.END_WITH_LEASE);

    private static final String OPEN =
            "SELECT pg_current_snapshot()::text, (" + SEQUENCE + "), pg_current_xact_id()::text::bigint";

    /** Two statements, since the snapshot must be younger than the locks; in one round trip, which a claim has few of. */
    private static final String BEGIN = READ + ";\n" + OPEN;

    /**
     * A cursor as found, and what else the same statement told.
     *
     * @param mark of the transaction that wrote the cursor
     */
    record Found(JournalCursor cursor, long mark, OffsetDateTime leaseUntil, boolean due, long sequence) {}

    /**
     * What a transaction begins with.
     *
     * @param found for each lease
     * @param view null when windows must wait for the next transaction
     */
    record Beginning(List<Found> found, @Nullable View view) {}

    static Found under(Connection connection, Lease lease) throws SQLException {
        return under(connection, List.of(lease)).found.get(0);
    }

    /** Proves that the lanes are ours until this transaction ends, and makes its commit a durable one. */
    static Beginning under(Connection connection, List<Lease> leases) throws SQLException {
        Map<Integer, Found> found = new HashMap<>();
        View view;
        try (PreparedStatement query = connection.prepareStatement(BEGIN)) {
            query.setArray(1, JournalCursors.array(connection, "int", leases, Lease::lane));
            query.setArray(2, JournalCursors.array(connection, "text", leases, Lease::relay));
            query.setArray(3, JournalCursors.array(connection, "bigint", leases, Lease::fence));
            query.execute();
            try (ResultSet row = query.getResultSet()) {
                while (row.next()) {
                    found.put(row.getInt(1), found(row));
                }
            }
            query.getMoreResults();
            try (ResultSet row = query.getResultSet()) {
                row.next();
                view = view(row);
            }
        }
        List<Found> all = new ArrayList<>(leases.size());
        for (Lease lease : leases) {
            Found one = found.get(lease.lane());
            if (one == null) {
                throw new FencedException(lease);
            }
            if (one.sequence < one.cursor.openEnd) {
                requireSequence(connection, one.cursor);
            }
            all.add(one);
        }
        return new Beginning(all, view);
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
        try (PreparedStatement query = connection.prepareStatement(SEQUENCE);
                ResultSet row = query.executeQuery()) {
            row.next();
            if (row.getLong(1) < cursor.openEnd) {
                throw new StoreException(
                        "The sequence outbox_events_seq_seq stands at " + row.getLong(1) + ", but lane " + cursor.lane
                                + " has seen " + cursor.openEnd + ": somebody has set it back, as TRUNCATE … RESTART"
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

    /**
     * What a window sees that is opened in this transaction.
     *
     * @param end the sequence after the snapshot was taken
     */
    record View(String snapshot, long end) {}

    /**
     * A snapshot's xmax is one above the latest transaction that has <em>ended</em>. A transaction with a higher number may
     * have been running for long, with sequence numbers as low as any, and is not in the snapshot's list. So the list is
     * extended up to our own number: what has a higher one got it after ours, and ours came after the sequence was read
     * together with the cursors; its rows lie above.
     *
     * @return null when that must wait for the next transaction
     */
    private static @Nullable View view(ResultSet row) throws SQLException {
        String snapshot = extended(row.getString(1), row.getLong(3));
        return snapshot == null ? null : new View(snapshot, row.getLong(2));
    }

    /**
     * Opens the next window.
     *
     * @param sequence as it was before this transaction got its number
     */
    JournalCursor opened(View view, long sequence) {
        return new JournalCursor(lane, done, doneSeq, view.snapshot, sequence, view.end, 0, null, crashes, suspect);
    }

    /** Whether so much has happened since that looking from there costs more than to write the cursor. */
    boolean farBehind(JournalCursor newer) {
        return newer.doneSeq - doneSeq > FAR || xmin(newer.done) - xmin(done) > FAR;
    }

    private static long xmin(String snapshot) {
        return Long.parseLong(snapshot.substring(0, snapshot.indexOf(':')));
    }

    /**
     * Names as running every number from the snapshot's xmax to {@code own}, and {@code own} itself in any case: a
     * transaction's snapshot does not list the transaction.
     *
     * @return null when there are too many, as when one transaction has used a million savepoints and nobody else has committed
     *     since. Our commit will be the latest then, and the next snapshot starts behind it.
     */
    static @Nullable String extended(String snapshot, long own) {
        String[] parts = snapshot.split(":", -1);
        long xmax = Long.parseLong(parts[1]);
        if (own - xmax >= MOST_NAMED) {
            return null;
        }
        LongStream listed = parts[2].isEmpty()
                ? LongStream.empty()
                : Stream.of(parts[2].split(",")).mapToLong(Long::parseLong);
        LongStream unlisted = LongStream.rangeClosed(Math.min(xmax, own), own).filter(x -> x >= xmax || x == own);
        return parts[0] + ":" + Math.max(xmax, own + 1) + ":"
                + LongStream.concat(listed, unlisted)
                        .sorted()
                        .mapToObj(Long::toString)
                        .collect(Collectors.joining(","));
    }

    /** The window is finished. */
    JournalCursor closed() {
        return open == null ? this : new JournalCursor(lane, open, openSeq, null, 0, openEnd, 0, null, 0, 0);
    }

    /** Settled up to there; the window is closed when it holds nothing beyond. */
    JournalCursor settledUpTo(long seq) {
        if (seq >= openEnd) {
            return closed();
        }
        boolean past = seq >= suspect;
        return new JournalCursor(
                lane, done, doneSeq, open, openSeq, openEnd, seq, null, past ? 0 : crashes, past ? 0 : suspect);
    }

    /** Whether the next page may have ended its owners. */
    boolean suspicious() {
        return pos < suspect;
    }

    JournalCursor withClaimed(@Nullable Long upTo) {
        return new JournalCursor(lane, done, doneSeq, open, openSeq, openEnd, pos, upTo, crashes, suspect);
    }
}

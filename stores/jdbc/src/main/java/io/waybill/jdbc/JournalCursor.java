package io.waybill.jdbc;

import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
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

    /**
     * The last number that was drawn. A SELECT from the sequence may see one that was not: PostgreSQL logs it 32 numbers ahead,
     * and until it has done so the sequence's row holds that number. The function waits for it.
     */
    static final String SEQUENCE = "SELECT coalesce(pg_sequence_last_value('outbox_events_seq_seq'), 0) AS value";

    /**
     * The sequence is read, as a row of the join, before the locks give this transaction its number; {@link #opened} relies
     * on that. OFFSET 0 keeps it from being read again should a lock find a newer row. Locking the cursor too lets a
     * transaction whose answer got lost end before its successor reads what it left behind.
     *
     * <p>Pages are read along the lane's index, in order, and no further than their limit. A planner that knows the values
     * believes its statistics, which are older than the backlog, and would read the table or collect all that is left of the
     * lane to sort it, for every page: 40 microseconds for each event instead of one. Up to PostgreSQL 17, what it is kept from
     * counts as so expensive that it would compile even the look at the sequence: 36 milliseconds for each claim.
     */
    private static final String READ = """
            SELECT c.done::text, c.done_seq, c.open::text, c.open_seq, c.open_end, c.pos, c.claimed, c.crashes, c.suspect,
                   l.expires_at,
                   EXISTS (SELECT 1 FROM outbox_held h WHERE outbox_lane(h.aggregate_id) = l.lane
                           AND h.next_attempt_at < 'infinity' AND h.next_attempt_at <= now()),
                   q.value,
                   c.cluster = (SELECT system_identifier FROM pg_control_system()),
                   current_setting('transaction_isolation'), c.xmin::text::bigint,
                   set_config('synchronous_commit',
                              CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                                   ELSE current_setting('synchronous_commit') END, true),
                   set_config('plan_cache_mode', 'force_generic_plan', true),
                   set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
                   set_config('jit', 'off', true)
            FROM (%s OFFSET 0) q CROSS JOIN outbox_lanes l JOIN outbox_cursors c ON c.lane = l.lane
            WHERE l.lane = ? AND l.owner = ? AND l.fence = ?
            FOR KEY SHARE OF l FOR NO KEY UPDATE OF c""".formatted(SEQUENCE);

    private static final String OPEN =
            "SELECT pg_current_snapshot()::text, (" + SEQUENCE + "), pg_current_xact_id()::text::bigint";

    private static final String WRITE = """
            UPDATE outbox_cursors SET done = ?::pg_snapshot, done_seq = ?, open = ?::pg_snapshot, open_seq = ?, open_end = ?,
                pos = ?, claimed = ?, crashes = ?, suspect = ?
            WHERE lane = ? RETURNING xmin::text::bigint""";

    /**
     * A cursor as found, and what else the same statement told.
     *
     * @param mark of the transaction that wrote the cursor
     */
    record Found(JournalCursor cursor, long mark, OffsetDateTime leaseUntil, boolean due, long sequence) {}

    /** Proves that the lane is ours until this transaction ends, and makes its commit a durable one. */
    static Found under(Connection connection, Lease lease) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(READ)) {
            query.setInt(1, lease.lane());
            query.setString(2, lease.relay());
            query.setLong(3, lease.fence());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new FencedException(lease);
                }
                requireThisCluster(row.getBoolean(13));
                requireReadCommitted(row.getString(14));
                long claimed = row.getLong(7);
                Long inFlight = row.wasNull() ? null : claimed;
                JournalCursor cursor = new JournalCursor(
                        lease.lane(),
                        row.getString(1),
                        row.getLong(2),
                        row.getString(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        inFlight,
                        row.getInt(8),
                        row.getLong(9));
                long sequence = row.getLong(12);
                if (sequence < cursor.openEnd) {
                    requireSequence(connection, cursor);
                }
                return new Found(
                        cursor, row.getLong(15), row.getObject(10, OffsetDateTime.class), row.getBoolean(11), sequence);
            }
        }
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
     * Opens the next window, or returns this cursor when that must wait for the next transaction.
     *
     * <p>A snapshot's xmax is one above the latest transaction that has <em>ended</em>. A transaction with a higher number may
     * have been running for long, with sequence numbers as low as any, and is not in the snapshot's list. So the list is
     * extended up to our own number: what has a higher one got it after ours, and ours came after {@code sequence} was
     * read; its rows lie above.
     *
     * @param sequence the sequence as it was before this transaction got its number
     */
    JournalCursor opened(Connection connection, long sequence) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OPEN);
                ResultSet row = query.executeQuery()) {
            row.next();
            String snapshot = extended(row.getString(1), row.getLong(3));
            return snapshot == null
                    ? this
                    : new JournalCursor(
                            lane, done, doneSeq, snapshot, sequence, row.getLong(2), 0, null, crashes, suspect);
        }
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

    /** @return the mark of this transaction, for {@link ClaimMarks} */
    long write(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(WRITE)) {
            update.setObject(1, done, Types.OTHER);
            update.setLong(2, doneSeq);
            update.setObject(3, open, Types.OTHER);
            update.setLong(4, openSeq);
            update.setLong(5, openEnd);
            update.setLong(6, pos);
            update.setObject(7, claimed, Types.BIGINT);
            update.setInt(8, crashes);
            update.setLong(9, suspect);
            update.setInt(10, lane);
            try (ResultSet row = update.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}

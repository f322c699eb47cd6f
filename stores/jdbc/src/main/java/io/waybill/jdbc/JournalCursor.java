package io.waybill.jdbc;

import io.waybill.WaybillException;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * How far a lane has come, read under the fence at the beginning of a transaction and written back at its end.
 *
 * @param done everything visible in this snapshot is finished
 * @param doneSeq the sequence before {@code done} was taken
 * @param open the snapshot of the window that is being worked, null between two windows
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

    private static final String SEQUENCE =
            "(SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM outbox_events_seq_seq)";

    private static final String READ = """
            SELECT c.done::text, c.done_seq, c.open::text, c.open_seq, c.open_end, c.pos, c.claimed, c.crashes, c.suspect,
                   l.expires_at,
                   EXISTS (SELECT 1 FROM outbox_held h WHERE outbox_lane(h.aggregate_id) = l.lane
                           AND h.next_attempt_at < 'infinity' AND h.next_attempt_at <= now()),
                   %s,
                   c.cluster = (SELECT system_identifier FROM pg_control_system()),
                   current_setting('transaction_isolation'),
                   set_config('synchronous_commit',
                              CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                                   ELSE current_setting('synchronous_commit') END, true)
            FROM outbox_lanes l JOIN outbox_cursors c ON c.lane = l.lane
            WHERE l.lane = ? AND l.owner = ? AND l.fence = ?
            FOR KEY SHARE OF l""".formatted(SEQUENCE);

    private static final String OPEN = "SELECT pg_current_snapshot()::text, " + SEQUENCE;

    private static final String WRITE = """
            UPDATE outbox_cursors SET done = ?::pg_snapshot, done_seq = ?, open = ?::pg_snapshot, open_seq = ?, open_end = ?,
                pos = ?, claimed = ?, crashes = ?, suspect = ?
            WHERE lane = ?""";

    /** A cursor as found, and what else the same statement told. */
    record Found(JournalCursor cursor, OffsetDateTime leaseUntil, boolean due, long sequence) {}

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
                return new Found(
                        cursor, row.getObject(10, OffsetDateTime.class), row.getBoolean(11), row.getLong(12));
            }
        }
    }

    private static void requireThisCluster(boolean same) {
        if (!same) {
            throw new WaybillException("The journal's cursors come from another PostgreSQL cluster: this database was restored"
                    + " from a dump, and transaction numbers mean nothing here. Run waybill schema rebase, which goes on"
                    + " behind the last event that was published.");
        }
    }

    /** In a stricter isolation the snapshot would be older than the sequence number read before it. */
    private static void requireReadCommitted(String isolation) {
        if (!isolation.equals("read committed")) {
            throw new WaybillException("The journal needs connections in READ COMMITTED isolation, these are in "
                    + isolation + ". Configure the pool of the relay accordingly.");
        }
    }

    /**
     * Opens the next window.
     *
     * @param sequence the sequence as an earlier statement saw it: rows of transactions that begin after the snapshot that is
     *     taken now lie above
     */
    JournalCursor opened(Connection connection, long sequence) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OPEN);
                ResultSet row = query.executeQuery()) {
            row.next();
            return new JournalCursor(
                    lane, done, doneSeq, row.getString(1), sequence, row.getLong(2), 0, null, crashes, suspect);
        }
    }

    /** The window is finished. */
    JournalCursor closed() {
        return open == null ? this : new JournalCursor(lane, open, openSeq, null, 0, 0, 0, null, 0, 0);
    }

    JournalCursor settledUpTo(long seq) {
        boolean past = seq >= suspect;
        return new JournalCursor(
                lane, done, doneSeq, open, openSeq, openEnd, seq, null, past ? 0 : crashes, past ? 0 : suspect);
    }

    JournalCursor withClaimed(@Nullable Long upTo) {
        return new JournalCursor(lane, done, doneSeq, open, openSeq, openEnd, pos, upTo, crashes, suspect);
    }

    void write(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(WRITE)) {
            update.setString(1, done);
            update.setLong(2, doneSeq);
            update.setString(3, open);
            update.setLong(4, openSeq);
            update.setLong(5, openEnd);
            update.setLong(6, pos);
            update.setObject(7, claimed, Types.BIGINT);
            update.setInt(8, crashes);
            update.setLong(9, suspect);
            update.setInt(10, lane);
            update.executeUpdate();
        }
    }
}

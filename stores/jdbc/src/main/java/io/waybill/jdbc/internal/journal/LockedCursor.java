package io.waybill.jdbc.internal.journal;

import static java.util.Objects.requireNonNull;

import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.lane.LaneTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * The cursor of a lane, locked until the transaction ends.
 *
 * @param mark the number of the transaction that wrote the cursor; see {@link ClaimMarks}
 * @param retryDue whether the lane has a retry that is due
 * @param sequence the sequence, read before this transaction got its number
 */
record LockedCursor(Cursor cursor, long mark, OffsetDateTime leaseUntil, boolean retryDue, long sequence) {
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
                    LaneTable.SET_DURABLE_COMMIT,
                    Cursor.SEQUENCE,
                    LaneTable.SET_IDLE_TIMEOUT_TO_LEASE);

    /** The columns of {@link #LOCK} that are read, in order. */
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

    /** Reads a row of {@link #LOCK}, and throws if an assumption of the engine does not hold. */
    static LockedCursor read(ResultSet row) throws SQLException {
        requireAssumptions(row);
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

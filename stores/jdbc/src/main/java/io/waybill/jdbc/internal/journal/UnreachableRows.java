package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Finds events that no window would contain. Such events exist only if the journal's sequence was set back.
 *
 * <p>A transaction whose number is at or above a snapshot's xmax draws from the sequence after it was read for that
 * snapshot, so its events have higher sequence numbers. The search looks for exceptions along the index on xid, among the
 * first events after the cursor. It also looks for events with a higher number than the sequence itself. It ignores cursors
 * of another cluster: relays refuse those anyway.
 */
public final class UnreachableRows {
    /** The number of events examined after each cursor. */
    private static final int MAX_EXAMINED = 10_000;

    private static final String SEARCH =
            """
            SELECT c.lane, c.open_end FROM outbox_cursors c, (%1$s OFFSET 0) q
            WHERE c.lane BETWEEN ? AND ? AND c.cluster = (SELECT system_identifier FROM pg_control_system()) AND c.origin = (%2$s)
              AND (EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = c.lane AND e.seq > q.value)
                OR EXISTS (SELECT 1 FROM (SELECT e.seq FROM outbox_events e WHERE e.xid >= pg_snapshot_xmax(c.done)
                                          ORDER BY e.xid, e.seq LIMIT %3$d) e WHERE e.seq <= c.done_seq)
                OR EXISTS (SELECT 1 FROM (SELECT e.seq FROM outbox_events e WHERE e.xid >= pg_snapshot_xmax(c.open)
                                          ORDER BY e.xid, e.seq LIMIT %3$d) e WHERE e.seq <= c.open_seq))
            ORDER BY c.lane LIMIT 1""".formatted(Cursor.SEQUENCE, PostgresAssumption.Sources.ORIGIN, MAX_EXAMINED);

    private UnreachableRows() {}

    /** Returns the error to throw if the cursor of this lane has such events. */
    static Optional<SequenceSetBackException> inLane(Connection connection, int lane) throws SQLException {
        return search(connection, lane, lane);
    }

    public static Optional<SequenceSetBackException> inAnyLane(Connection connection) throws SQLException {
        return search(connection, 0, LaneTable.MAX_LANES);
    }

    private static Optional<SequenceSetBackException> search(Connection connection, int from, int to)
            throws SQLException {
        return Sql.on(connection)
                .query(
                        SEARCH,
                        row -> row.next()
                                ? Optional.of(new SequenceSetBackException(row.getInt(1), row.getLong(2)))
                                : Optional.empty(),
                        from,
                        to);
    }
}

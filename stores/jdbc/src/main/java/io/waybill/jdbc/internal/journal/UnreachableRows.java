package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Events that cannot be unless the journal's sequence was set back, and that no window would hold.
 *
 * <p>Transactions with numbers from a snapshot's xmax on have drawn from the sequence after it was read for that snapshot, so their
 * events have higher numbers. Exceptions are found by the index on xid, among the first events behind the cursor. And no event
 * has a higher number than the sequence. Cursors of another cluster are left out: they are refused anyway.
 */
public final class UnreachableRows {
    /** How many events behind a cursor are looked at. */
    private static final int MOST = 10_000;

    private static final String SEARCH = """
            SELECT c.lane, c.open_end FROM outbox_cursors c, (%1$s OFFSET 0) q
            WHERE c.lane BETWEEN ? AND ? AND c.cluster = (SELECT system_identifier FROM pg_control_system()) AND c.origin = (%2$s)
              AND (EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = c.lane AND e.seq > q.value)
                OR EXISTS (SELECT 1 FROM (SELECT e.seq FROM outbox_events e WHERE e.xid >= pg_snapshot_xmax(c.done)
                                          ORDER BY e.xid, e.seq LIMIT %3$d) e WHERE e.seq <= c.done_seq)
                OR EXISTS (SELECT 1 FROM (SELECT e.seq FROM outbox_events e WHERE e.xid >= pg_snapshot_xmax(c.open)
                                          ORDER BY e.xid, e.seq LIMIT %3$d) e WHERE e.seq <= c.open_seq))
            ORDER BY c.lane LIMIT 1""".formatted(Cursor.SEQUENCE, PostgresAssumption.Sources.ORIGIN, MOST);

    private UnreachableRows() {}

    /** What a relay must say when there are any for the cursor of this lane. */
    static Optional<SequenceSetBackException> of(Connection connection, int lane) throws SQLException {
        return search(connection, lane, lane);
    }

    public static Optional<SequenceSetBackException> ofAnyLane(Connection connection) throws SQLException {
        return search(connection, 0, LaneTable.MOST_LANES);
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

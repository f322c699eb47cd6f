package io.waybill.jdbc;

import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;

/**
 * Makes the cursors of a restored dump fit the cluster it was restored into, or those of a sequence that was set back.
 *
 * <p>The old transaction numbers still compare with each other, so the old cursors tell exactly which of the restored events
 * were finished; what lies above the sequence that they have seen was written since. Finished events get a number that
 * every snapshot sees; all others get that of this transaction, which every new cursor names as running.
 *
 * <p>Writers wait meanwhile. That keeps the sequence from moving while it is read, and every row from appearing later with a
 * number that the new cursors take for finished.
 */
final class JournalRebase {
    private static final String NEEDED = """
            SELECT EXISTS (SELECT 1 FROM outbox_cursors c
                           WHERE c.cluster <> (SELECT system_identifier FROM pg_control_system())
                              OR c.open_end > (%s))""".formatted(JournalCursor.SEQUENCE);

    /** Whoever held a lane in the old cluster, or believes to hold it in this one, has lost it. */
    private static final String FENCE =
            "UPDATE outbox_lanes SET owner = NULL, fence = fence + 1, expires_at = clock_timestamp()";

    private static final String UNCLAIM =
            "UPDATE outbox_held SET state = 'PENDING', locked_by = NULL, locked_until = NULL WHERE state = 'CLAIMED'";

    /** A restore without its sequences would draw numbers that events have already. */
    private static final String SEQUENCE = """
            SELECT setval('outbox_events_seq_seq', greatest(s.last_value, (SELECT max(seq) FROM outbox_events),
                                                            (SELECT max(open_end) FROM outbox_cursors)))
            FROM outbox_events_seq_seq s""";

    private static final String NOW = """
            SELECT pg_current_snapshot()::text, pg_current_xact_id()::text::bigint,
                   (%s)""".formatted(JournalCursor.SEQUENCE);

    private static final String RENUMBER = """
            WITH numbered AS (
                UPDATE outbox_events e SET xid = CASE WHEN f.finished THEN '3'::xid8 ELSE pg_current_xact_id() END
                FROM outbox_cursors c CROSS JOIN LATERAL (
                    SELECT o.id, o.xid, o.seq <= c.open_end AND (pg_visible_in_snapshot(o.xid, c.done)
                           OR c.open IS NOT NULL AND o.seq <= c.pos AND pg_visible_in_snapshot(o.xid, c.open)) AS finished
                    FROM outbox_events o WHERE outbox_lane(o.aggregate_id) = c.lane) f
                WHERE e.id = f.id AND (NOT f.finished OR f.xid >= pg_snapshot_xmin(?))
                RETURNING f.finished)
            SELECT count(*) FROM numbered WHERE NOT finished""";

    private static final String MOVE = """
            UPDATE outbox_cursors SET cluster = (SELECT system_identifier FROM pg_control_system()), done = ?, done_seq = ?,
                open = NULL, open_seq = NULL, open_end = ?, pos = 0, claimed = NULL, crashes = 0, suspect = 0""";

    private JournalRebase() {}

    static long rebase(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("LOCK TABLE outbox_events IN SHARE ROW EXCLUSIVE MODE");
            return foreign(connection) ? together(connection) : 0;
        }
    }

    /** Whether the cursors tell of another cluster's transactions, or of sequence numbers still to come. */
    static boolean foreign(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(NEEDED)) {
            return row.next() && row.getBoolean(1);
        }
    }

    /**
     * Brings all cursors to one common place, wherever each of them was, with writers locked out.
     *
     * @return how many events lie ahead of it
     */
    static long together(Connection connection) throws SQLException {
        Place place;
        try (Statement statement = connection.createStatement()) {
            statement.execute(FENCE);
            statement.execute("SELECT 1 FROM outbox_cursors ORDER BY lane FOR UPDATE");
            statement.execute(UNCLAIM);
            statement.execute(SEQUENCE);
            place = Place.now(connection);
        }
        try (PreparedStatement renumber = connection.prepareStatement(RENUMBER)) {
            renumber.setObject(1, place.snapshot, Types.OTHER);
            long pending;
            try (ResultSet row = renumber.executeQuery()) {
                row.next();
                pending = row.getLong(1);
            }
            place.move(connection);
            return pending;
        }
    }

    /** Moves all cursors to now, with writers locked out: ahead of them lies what this transaction has written. */
    static void toNow(Connection connection) throws SQLException {
        Place.now(connection).move(connection);
    }

    private record Place(String snapshot, long sequence) {
        static Place now(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(NOW)) {
                row.next();
                String snapshot = JournalCursor.extended(row.getString(1), row.getLong(2));
                if (snapshot == null) {
                    throw new StoreException("Too many transactions are open to place the cursors. Try again.", null);
                }
                return new Place(snapshot, row.getLong(3));
            }
        }

        void move(Connection connection) throws SQLException {
            try (PreparedStatement move = connection.prepareStatement(MOVE)) {
                move.setObject(1, snapshot, Types.OTHER);
                move.setLong(2, sequence);
                move.setLong(3, sequence);
                move.executeUpdate();
            }
        }
    }
}

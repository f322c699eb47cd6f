package io.waybill.jdbc;

import io.waybill.store.Claimed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The next events of a lane's window, in the order of their sequence numbers.
 *
 * <p>Two sources, merged: what lies above the sequence as it was before the last window's snapshot, which is where all later
 * transactions wrote; and what transactions wrote below it that were open in that snapshot and have ended since. The
 * second are found by their transaction numbers, so a transaction that stays open for a day makes nobody read a day's
 * events again. {@code + 0} keeps a planner with odd statistics from doing just that along the lane's index, and
 * {@code BETWEEN} from reading the table when, after a bulk load, all rows are of one transaction.
 *
 * @param free events to claim
 * @param held events whose key is held back: to be parked
 * @param last the highest sequence number seen; null when the window holds no more
 * @param complete whether the window ends with this page
 */
record JournalPage(
        List<Claimed> free, List<UUID> held, @Nullable Long last, boolean complete) {

    private static final String READ = "SELECT " + EventRows.COLUMNS + """
            , e.seq, (date_part('epoch', clock_timestamp() - e.created_at) * 1000000)::bigint,
            CASE WHEN any_held.found THEN EXISTS (SELECT 1 FROM outbox_held h WHERE h.aggregate_id = e.aggregate_id
                                                  AND h.next_attempt_at IS NOT NULL AND h.seq <= e.seq) ELSE false END,
            CASE WHEN any_held.found THEN EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id) ELSE false END
            FROM (SELECT EXISTS (SELECT 1 FROM outbox_held) AS found) any_held CROSS JOIN (
                (SELECT * FROM outbox_events n
                 WHERE outbox_lane(n.aggregate_id) = ? AND n.seq > ? AND n.seq <= ?
                   AND pg_visible_in_snapshot(n.xid, ?::pg_snapshot)
                   AND NOT pg_visible_in_snapshot(n.xid, ?::pg_snapshot)
                 ORDER BY n.seq LIMIT %1$d)
                UNION ALL
                (SELECT o.* FROM pg_snapshot_xip(?::pg_snapshot) x CROSS JOIN LATERAL (
                    SELECT * FROM outbox_events o
                    WHERE o.xid = x AND o.xid BETWEEN x AND x AND o.seq > ? AND o.seq <= ? AND outbox_lane(o.aggregate_id) + 0 = ?
                    ORDER BY o.seq LIMIT %1$d) o
                 WHERE pg_visible_in_snapshot(x, ?::pg_snapshot) AND pg_xact_status(x) IS DISTINCT FROM 'aborted')
            ) e ORDER BY e.seq LIMIT %1$d""";

    /**
     * The limit stands in the statement: a plan made for any limit would fetch all that is left of the lane and sort it. A relay
     * uses few of them, so there are few plans.
     */
    static String sql(int limit) {
        return READ.formatted(limit);
    }

    /** Snapshots go as parameters of their own type: as text they would be parsed again for every row. */
    static JournalPage read(Connection connection, JournalCursor cursor, int limit) throws SQLException {
        List<Claimed> free = new ArrayList<>();
        List<UUID> held = new ArrayList<>();
        Long last = null;
        int seen = 0;
        Dialect dialect = Dialect.of(connection);
        try (PreparedStatement query = connection.prepareStatement(sql(limit))) {
            int i = 1;
            query.setInt(i++, cursor.lane());
            query.setLong(i++, Math.max(cursor.pos(), cursor.doneSeq()));
            query.setLong(i++, cursor.openEnd());
            query.setObject(i++, cursor.open(), Types.OTHER);
            query.setObject(i++, cursor.done(), Types.OTHER);
            query.setObject(i++, cursor.done(), Types.OTHER);
            query.setLong(i++, cursor.pos());
            query.setLong(i++, cursor.doneSeq());
            query.setInt(i++, cursor.lane());
            query.setObject(i, cursor.open(), Types.OTHER);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    seen++;
                    long seq = row.getLong(EventRows.COUNT + 1);
                    last = seq;
                    if (row.getBoolean(EventRows.COUNT + 4)) {
                        continue; // a page that was never settled has parked it; it may even be published since
                    }
                    if (row.getBoolean(EventRows.COUNT + 3)) {
                        held.add(row.getObject(1, UUID.class));
                    } else {
                        int failures = seq <= cursor.suspect() ? cursor.crashes() : 0;
                        Duration age = Duration.ofNanos(Math.max(0, row.getLong(EventRows.COUNT + 2)) * 1_000);
                        free.add(new Claimed(EventRows.event(dialect, row), seq, failures, false, age));
                    }
                }
            }
        }
        return new JournalPage(free, held, last, seen < limit);
    }
}

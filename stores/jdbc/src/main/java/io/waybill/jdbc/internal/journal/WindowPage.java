package io.waybill.jdbc.internal.journal;

import static java.util.Objects.requireNonNull;

import io.waybill.jdbc.internal.event.Candidate;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PostgresDialect;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The next events of a lane's window.
 *
 * <p>Two sources, merged: what lies above the sequence as it was before the last window's snapshot, which is where all later
 * transactions wrote; and what transactions wrote below it that were open in that snapshot and have ended since. The
 * second are found by their transaction numbers, so a transaction that stays open for a day makes nobody read a day's
 * events again. {@code + 0} keeps a planner with odd statistics from doing just that along the lane's index, and
 * {@code BETWEEN} from reading the table when, after a bulk load, all rows are of one transaction.
 *
 * @param free events that may be claimed, in order
 * @param held events whose key is held back: to be parked
 * @param last the highest sequence number seen; null when the window holds no more
 * @param complete whether the window ends with this page
 */
record WindowPage(
        List<Candidate> free, List<UUID> held, @Nullable Long last, boolean complete) {

    /**
     * CASE, not AND: to ask for the fate of a transaction that this cluster has not begun is an error, and a page may be read before
     * it is known whose cursors these are.
     */
    private static final String EVENTS = "SELECT %3$s" + """
            , e.seq, (date_part('epoch', clock_timestamp() - e.created_at) * 1000000)::bigint,
            CASE WHEN any_held.found THEN EXISTS (SELECT 1 FROM outbox_held h WHERE h.aggregate_id = e.aggregate_id
                                                  AND h.next_attempt_at IS NOT NULL AND h.seq <= e.seq) ELSE false END,
            CASE WHEN any_held.found THEN EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id) ELSE false END
            , t.lane
            FROM (SELECT EXISTS (SELECT 1 FROM outbox_held) AS found) any_held
            CROSS JOIN %2$s AS t (lane, pos, done_seq, open_end, open, done)
            CROSS JOIN LATERAL (
                (SELECT * FROM outbox_events n
                 WHERE outbox_lane(n.aggregate_id) = t.lane AND n.seq > greatest(t.pos, t.done_seq) AND n.seq <= t.open_end
                   AND pg_visible_in_snapshot(n.xid, t.open)
                   AND NOT pg_visible_in_snapshot(n.xid, t.done)
                 ORDER BY n.seq LIMIT %1$d)
                UNION ALL
                (SELECT o.* FROM pg_snapshot_xip(t.done) x CROSS JOIN LATERAL (
                    SELECT * FROM outbox_events o
                    WHERE o.xid = x AND o.xid BETWEEN x AND x AND o.seq > t.pos AND o.seq <= t.done_seq
                      AND outbox_lane(o.aggregate_id) + 0 = t.lane
                    ORDER BY o.seq LIMIT %1$d) o
                 WHERE CASE WHEN pg_visible_in_snapshot(x, t.open) THEN pg_xact_status(x) IS DISTINCT FROM 'aborted' END)
                ORDER BY seq LIMIT %1$d) e""";

    private static final String GIVEN =
            "unnest(?::int[], ?::bigint[], ?::bigint[], ?::bigint[], ?::pg_snapshot[], ?::pg_snapshot[])";

    /** The windows that can be opened at once, of lanes whose last one is finished, if all that is in flight went out. */
    private static final String FRESH = """
            (SELECT c.lane, 0, CASE WHEN c.open IS NULL THEN c.done_seq ELSE c.open_seq END, w.last, w.snapshot,
                    coalesce(c.open, c.done)
             FROM w CROSS JOIN unnest(?::int[]) AS l (lane) JOIN outbox_cursors c ON c.lane = l.lane
             WHERE c.open IS NULL OR c.claimed >= c.open_end)""";

    /** A snapshot may be long, so it comes once. */
    private static final String WINDOW = """
            WITH w AS MATERIALIZED (
                SELECT pg_current_snapshot() AS snapshot, (%1$s) AS last, pg_current_xact_id()::text::bigint AS own)
            SELECT p.*, CASE WHEN row_number() OVER () = 1 THEN w.snapshot::text END, w.last, w.own
            FROM w LEFT JOIN (%2$s) p ON true""";

    /**
     * The limit stands in the statement: a plan made for any limit would fetch all that is left of the lane and sort it. A relay
     * uses few of them, so there are few plans.
     */
    static String sql(int limit) {
        return EVENTS.formatted(limit, GIVEN, EventRows.upTo(PostgresDialect.INSTANCE, limit));
    }

    /** A new snapshot, and with it the first pages of the windows that it opens. */
    static String window(int limit) {
        return WINDOW.formatted(
                Cursor.SEQUENCE, EVENTS.formatted(limit, FRESH, EventRows.upTo(PostgresDialect.INSTANCE, limit)));
    }

    /**
     * Reads a page of each of these lanes. Snapshots go as parameters of their own type: as text they would be parsed again for
     * every row.
     *
     * @return in the order of the cursors
     */
    static List<WindowPage> read(Connection connection, List<Cursor> cursors, int limit) throws SQLException {
        Readings readings = new Readings(Dialect.of(connection), cursors);
        try (PreparedStatement query = Sql.statement(connection, sql(limit))) {
            query.setArray(1, CursorTable.array(connection, "int", cursors, Cursor::lane));
            query.setArray(2, CursorTable.array(connection, "bigint", cursors, Cursor::pos));
            query.setArray(3, CursorTable.array(connection, "bigint", cursors, Cursor::doneSeq));
            query.setArray(4, CursorTable.array(connection, "bigint", cursors, Cursor::openEnd));
            query.setObject(5, CursorTable.snapshots(cursors, Cursor::open), Types.OTHER);
            query.setObject(6, CursorTable.snapshots(cursors, Cursor::done), Types.OTHER);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    readings.add(row);
                }
            }
        }
        return readings.pages(limit);
    }

    /** The pages of several lanes, from the rows of one statement. */
    static final class Readings {
        private final Dialect dialect;
        private final Map<Integer, Reading> lanes = new LinkedHashMap<>();

        Readings(Dialect dialect, List<Cursor> cursors) {
            this.dialect = dialect;
            cursors.forEach(cursor -> lanes.put(cursor.lane(), new Reading(cursor)));
        }

        void add(ResultSet row) throws SQLException {
            requireNonNull(lanes.get(row.getInt(EventRows.COUNT + 5))).add(dialect, row);
        }

        /** In the order of the cursors. */
        List<WindowPage> pages(int limit) {
            return lanes.values().stream().map(reading -> reading.page(limit)).toList();
        }
    }

    private static final class Reading {
        private final Cursor cursor;
        private final List<Candidate> free = new ArrayList<>();
        private final List<UUID> held = new ArrayList<>();
        private @Nullable Long last;
        private int seen;

        Reading(Cursor cursor) {
            this.cursor = cursor;
        }

        void add(Dialect dialect, ResultSet row) throws SQLException {
            seen++;
            long seq = row.getLong(EventRows.COUNT + 1);
            last = last == null ? seq : Math.max(last, seq);
            if (row.getBoolean(EventRows.COUNT + 4)) {
                return; // a page that was never settled has parked it; it may even be published since
            }
            if (row.getBoolean(EventRows.COUNT + 3)) {
                held.add(row.getObject(1, UUID.class));
            } else {
                int failures = seq <= cursor.suspect() ? cursor.crashes() : 0;
                free.add(Candidate.read(dialect, row, seq, failures, false, row.getLong(EventRows.COUNT + 2)));
            }
        }

        WindowPage page(int limit) {
            free.sort(Comparator.comparingLong(Candidate::position));
            return new WindowPage(free, held, last, seen < limit);
        }
    }
}

package io.waybill.jdbc.internal.journal;

import static java.util.Objects.requireNonNull;

import io.waybill.jdbc.internal.event.Candidate;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PostgresDialect;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The next events of a lane's window.
 *
 * <p>A page merges two sources. The first are events above {@code done_seq}, the sequence number that was read before the last
 * window's snapshot: all events of later transactions are above that number. The second are events at or below {@code done_seq}
 * whose transactions were open in that snapshot and have ended since. They are found by transaction number, so a transaction that
 * stays open for a day does not make the relay read the events of that day again.
 *
 * <p>{@code + 0} keeps the planner from using the lane's index for the second source, which would read all those
 * events. {@code BETWEEN} prevents it from scanning the table when, after a bulk load, all rows belong to one
 * transaction.
 *
 * @param free the events that can be claimed, in order
 * @param held the ids of events whose key is held back; they must be parked
 * @param last the highest sequence number on the page; null when the window has no more events
 * @param complete whether this is the last page of the window
 */
record WindowPage(
        List<Candidate> free, List<UUID> held, @Nullable Long last, boolean complete) {

    /**
     * Uses CASE instead of AND: pg_xact_status fails for a transaction number that this cluster has not yet assigned, and a page
     * may be read before the relay has checked that the cursors belong to this cluster.
     */
    private static final String EVENTS = "SELECT %3$s" + """
            , e.seq, (date_part('epoch', clock_timestamp() - e.created_at) * 1000000)::bigint AS age_micros,
            CASE WHEN any_held.found THEN EXISTS (SELECT 1 FROM outbox_held h WHERE h.aggregate_id = e.aggregate_id
                                                  AND h.next_attempt_at IS NOT NULL AND h.seq <= e.seq)
                 ELSE false END AS key_held,
            CASE WHEN any_held.found THEN EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id)
                 ELSE false END AS event_held,
            t.lane
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

    private static final String OPEN_WINDOWS =
            "unnest(?::int[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[]::pg_snapshot[], ?::text[]::pg_snapshot[])";

    /**
     * The windows that can be opened now: the windows of lanes without an open window, and of lanes whose open window is finished
     * when all events in flight are published.
     */
    private static final String NEW_WINDOWS = """
            (SELECT c.lane, 0, CASE WHEN c.open IS NULL THEN c.done_seq ELSE c.open_seq END, w.last, w.snapshot,
                    coalesce(c.open, c.done)
             FROM w CROSS JOIN unnest(?::int[]) AS l (lane) JOIN outbox_cursors c ON c.lane = l.lane
             WHERE c.open IS NULL OR c.claimed >= c.open_end)""";

    /** The number of events that {@link #PASSED} examines: the search must not grow with the backlog. */
    private static final int MAX_EXAMINED = 100;

    /**
     * Whether an event has a number that a cursor has already passed, although its transaction began later. In that case, the
     * sequence was set back; see {@link UnreachableRows}. Only the cursor with the highest number among the given lanes is
     * compared, because it also detects the smallest step back.
     */
    private static final String PASSED = """
            EXISTS (SELECT 1 FROM (
                        SELECT CASE WHEN c.open IS NULL THEN c.done_seq ELSE c.open_seq END AS seq,
                               pg_snapshot_xmax(coalesce(c.open, c.done)) AS xmax
                        FROM outbox_cursors c WHERE c.lane = ANY (?::int[]) ORDER BY 1 DESC LIMIT 1) c
                    CROSS JOIN LATERAL (
                        SELECT e.seq FROM outbox_events e WHERE e.xid >= c.xmax ORDER BY e.xid, e.seq LIMIT %d) e
                    WHERE e.seq <= c.seq)""".formatted(MAX_EXAMINED);

    /** Only the first row carries the snapshot, because a snapshot may be long. */
    private static final String WITH_SNAPSHOT = """
            WITH w AS MATERIALIZED (
                SELECT pg_current_snapshot() AS snapshot, (%1$s) AS last, pg_current_xact_id()::text::bigint AS own,
                       %3$s AS passed)
            SELECT p.*, CASE WHEN row_number() OVER () = 1 THEN w.snapshot::text END AS snapshot, w.last AS last_sequence,
                   w.own AS own_transaction, w.passed AS number_passed
            FROM w LEFT JOIN (%2$s) p ON true""";

    private static final Map<Integer, String> NEW_WINDOW_SQL = new ConcurrentHashMap<>();

    /**
     * The indexes of the columns in a result that follow those of the event, resolved once per result.
     *
     * @param keyHeld whether an earlier event of the key is held
     * @param eventHeld whether the event itself has a row in the side table
     */
    private record Columns(int lane, int seq, int ageMicros, int keyHeld, int eventHeld) {
        static Columns of(ResultSet rows) throws SQLException {
            return new Columns(
                    rows.findColumn("lane"),
                    rows.findColumn("seq"),
                    rows.findColumn("age_micros"),
                    rows.findColumn("key_held"),
                    rows.findColumn("event_held"));
        }
    }

    /**
     * The query for the next page of open windows. The limit is part of the text: a plan for an arbitrary limit would fetch
     * and sort all remaining events of the lane. A relay uses few different limits, so there are few plans.
     */
    static String pageSql(int limit) {
        return events(limit, OPEN_WINDOWS);
    }

    private static String events(int limit, String windows) {
        return EVENTS.formatted(limit, windows, String.join(", ", EventRows.columns(PostgresDialect.INSTANCE, limit)));
    }

    /**
     * The query that takes a new snapshot and reads the first page of each window that it opens. Each row ends with {@code snapshot},
     * {@code last_sequence}, which is the sequence after the snapshot was taken, {@code own_transaction}, the number of the
     * transaction that took it, and {@code number_passed}, which says whether an event has a number that a cursor has already
     * passed. If there is no event, a single row has only these four columns. Both parameters are the lanes.
     */
    static String newWindowSql(int limit) {
        return NEW_WINDOW_SQL.computeIfAbsent(
                limit, size -> WITH_SNAPSHOT.formatted(Cursor.SEQUENCE, events(size, NEW_WINDOWS), PASSED));
    }

    /**
     * Reads the next page of each of these lanes. The statement converts the snapshots once, not once for every event.
     *
     * @return the pages, in the order of the cursors
     */
    static List<WindowPage> read(Connection connection, List<Cursor> cursors, int limit) throws SQLException {
        Sql sql = Sql.on(connection);
        return sql.query(
                pageSql(limit),
                row -> {
                    Readings readings = new Readings(sql.dialect(), cursors, row);
                    while (row.next()) {
                        readings.addRow();
                    }
                    return readings.pages(limit);
                },
                CursorTable.array(connection, "int", cursors, Cursor::lane),
                CursorTable.array(connection, "bigint", cursors, Cursor::pos),
                CursorTable.array(connection, "bigint", cursors, Cursor::doneSeq),
                CursorTable.array(connection, "bigint", cursors, Cursor::openEnd),
                CursorTable.array(connection, "text", cursors, Cursor::open),
                CursorTable.array(connection, "text", cursors, Cursor::done));
    }

    /** Collects the pages of several lanes from the rows of one result. */
    static final class Readings {
        private final Dialect dialect;
        private final ResultSet row;
        private final Columns columns;
        private final Map<Integer, Reading> lanes = new LinkedHashMap<>();

        Readings(Dialect dialect, List<Cursor> cursors, ResultSet row) throws SQLException {
            this.dialect = dialect;
            this.row = row;
            this.columns = Columns.of(row);
            cursors.forEach(cursor -> lanes.put(cursor.lane(), new Reading(cursor)));
        }

        /** Adds the current row of the result. */
        void addRow() throws SQLException {
            requireNonNull(lanes.get(row.getInt(columns.lane))).add(dialect, row, columns);
        }

        /** Returns the pages in the order of the cursors. */
        List<WindowPage> pages(int limit) {
            return lanes.values().stream().map(reading -> reading.page(limit)).toList();
        }
    }

    private static final class Reading {
        private final Cursor cursor;
        private final List<Candidate> free = new ArrayList<>();
        private final List<UUID> held = new ArrayList<>();
        private @Nullable Long last;
        private int rows;

        Reading(Cursor cursor) {
            this.cursor = cursor;
        }

        void add(Dialect dialect, ResultSet row, Columns columns) throws SQLException {
            rows++;
            long seq = row.getLong(columns.seq);
            last = last == null ? seq : Math.max(last, seq);
            if (row.getBoolean(columns.eventHeld)) {
                // An earlier claim of this page, which was never settled, parked the event. It may even be published by
                // now.
                return;
            }
            if (row.getBoolean(columns.keyHeld)) {
                held.add(dialect.uuid(row, EventRows.ID));
            } else {
                int failures = seq <= cursor.suspect() ? cursor.crashes() : 0;
                free.add(Candidate.read(dialect, row, seq, failures, false, row.getLong(columns.ageMicros)));
            }
        }

        WindowPage page(int limit) {
            free.sort(Comparator.comparingLong(Candidate::position));
            return new WindowPage(free, held, last, rows < limit);
        }
    }
}

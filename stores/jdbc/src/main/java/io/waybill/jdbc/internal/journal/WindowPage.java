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
 * <p>A page merges two sources. The first are events above {@code done_seq}, the sequence as it was read before the last
 * window's snapshot: every later transaction wrote there. The second are events at or below {@code done_seq} whose
 * transactions were open in that snapshot and have ended since. They are found by transaction number, so a transaction that
 * stays open for a day does not make the relay read the events of that day again.
 *
 * <p>{@code + 0} prevents a planner with misleading statistics from doing exactly that along the lane's index. {@code
 * BETWEEN} prevents it from scanning the table when, after a bulk load, all rows belong to one transaction.
 *
 * @param free the events that can be claimed, in order
 * @param held the ids of events whose key is held back; they must be parked
 * @param last the highest sequence number on the page; null when the window has no more events
 * @param complete whether this is the last page of the window
 */
record WindowPage(
        List<Candidate> free, List<UUID> held, @Nullable Long last, boolean complete) {

    /**
     * CASE instead of AND: pg_xact_status fails for a transaction number that this cluster has not yet assigned, and a page
     * may be read before the relay has checked that the cursors belong to this cluster.
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

    private static final String OPEN_WINDOWS =
            "unnest(?::int[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[]::pg_snapshot[], ?::text[]::pg_snapshot[])";

    /**
     * The windows that can be opened now: those of lanes whose last window is finished once all events in flight are
     * published.
     */
    private static final String NEW_WINDOWS = """
            (SELECT c.lane, 0, CASE WHEN c.open IS NULL THEN c.done_seq ELSE c.open_seq END, w.last, w.snapshot,
                    coalesce(c.open, c.done)
             FROM w CROSS JOIN unnest(?::int[]) AS l (lane) JOIN outbox_cursors c ON c.lane = l.lane
             WHERE c.open IS NULL OR c.claimed >= c.open_end)""";

    /** Only the first row carries the snapshot, because a snapshot may be long. */
    private static final String WITH_SNAPSHOT = """
            WITH w AS MATERIALIZED (
                SELECT pg_current_snapshot() AS snapshot, (%1$s) AS last, pg_current_xact_id()::text::bigint AS own)
            SELECT p.*, CASE WHEN row_number() OVER () = 1 THEN w.snapshot::text END, w.last, w.own
            FROM w LEFT JOIN (%2$s) p ON true""";

    private static final Map<Integer, String> NEW_WINDOW_SQL = new ConcurrentHashMap<>();

    /** The first column of an event. */
    static final int EVENT_ID = 1;

    /** The columns that follow those of the event, in order. Only {@link #newWindowSql} has the last three. */
    enum Column {
        SEQ(1),
        AGE_MICROS(2),
        /** Whether an earlier event of the key is held back. */
        KEY_HELD(3),
        /** Whether the event itself has a row in the side table. */
        EVENT_HELD(4),
        LANE(5),
        SNAPSHOT(6),
        /** The sequence after the snapshot was taken. */
        SEQUENCE(7),
        /** The number of the transaction that took the snapshot. */
        OWN_TRANSACTION(8);

        private final int offset;

        Column(int offset) {
            this.offset = offset;
        }

        int index() {
            return EventRows.COUNT + offset;
        }
    }

    /**
     * The query for the next page of open windows. The limit is part of the text: a plan for an arbitrary limit would fetch
     * and sort all remaining events of the lane. A relay uses few different limits, so there are few plans.
     */
    static String pageSql(int limit) {
        return EVENTS.formatted(limit, OPEN_WINDOWS, EventRows.upTo(PostgresDialect.INSTANCE, limit));
    }

    /** The query that takes a new snapshot and reads the first page of each window that it opens. */
    static String newWindowSql(int limit) {
        return NEW_WINDOW_SQL.computeIfAbsent(
                limit,
                size -> WITH_SNAPSHOT.formatted(
                        Cursor.SEQUENCE,
                        EVENTS.formatted(size, NEW_WINDOWS, EventRows.upTo(PostgresDialect.INSTANCE, size))));
    }

    /**
     * Reads the next page of each of these lanes. The statement converts the snapshots once, not once for every event.
     *
     * @return the pages, in the order of the cursors
     */
    static List<WindowPage> read(Connection connection, List<Cursor> cursors, int limit) throws SQLException {
        Sql sql = Sql.on(connection);
        Readings readings = new Readings(sql.dialect(), cursors);
        return sql.query(
                pageSql(limit),
                row -> {
                    while (row.next()) {
                        readings.add(row);
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
        private final Map<Integer, Reading> lanes = new LinkedHashMap<>();

        Readings(Dialect dialect, List<Cursor> cursors) {
            this.dialect = dialect;
            cursors.forEach(cursor -> lanes.put(cursor.lane(), new Reading(cursor)));
        }

        void add(ResultSet row) throws SQLException {
            requireNonNull(lanes.get(row.getInt(Column.LANE.index()))).add(dialect, row);
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
        private int seen;

        Reading(Cursor cursor) {
            this.cursor = cursor;
        }

        void add(Dialect dialect, ResultSet row) throws SQLException {
            seen++;
            long seq = row.getLong(Column.SEQ.index());
            last = last == null ? seq : Math.max(last, seq);
            if (row.getBoolean(Column.EVENT_HELD.index())) {
                return; // an earlier claim of this page, which was never settled, parked it; it may even be published
                // by now
            }
            if (row.getBoolean(Column.KEY_HELD.index())) {
                held.add(row.getObject(EVENT_ID, UUID.class));
            } else {
                int failures = seq <= cursor.suspect() ? cursor.crashes() : 0;
                free.add(Candidate.read(dialect, row, seq, failures, false, row.getLong(Column.AGE_MICROS.index())));
            }
        }

        WindowPage page(int limit) {
            free.sort(Comparator.comparingLong(Candidate::position));
            return new WindowPage(free, held, last, seen < limit);
        }
    }
}

package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.admin.JdbcSearch;
import io.waybill.jdbc.internal.admin.SearchQueries;
import io.waybill.jdbc.internal.admin.Section;
import io.waybill.jdbc.internal.admin.ViewQueries;
import io.waybill.jdbc.internal.admin.ViewQueries.Source;
import java.util.Optional;

/** The queries with which operators read the tables of the journal. */
public final class OperatorQueries {
    /** Looks up the event of each held row; OFFSET 0 prevents the reverse join, whatever the statistics say. */
    private static final String EACH_HELD =
            "outbox_held h CROSS JOIN LATERAL (SELECT * FROM outbox_events WHERE id = h.id OFFSET 0) e";

    private static final String COUNTS = """
            SELECT clock_timestamp(), w.waiting, w.claimed, h.claimed, h.retrying, h.due, h.parked, h.blocked, d.dead,
                   coalesce(greatest(0, extract(epoch FROM clock_timestamp() - least(h.oldest, w.oldest)))::float8, 0)
            FROM (SELECT count(*) AS waiting, min(w.created_at) AS oldest,
                         count(*) FILTER (WHERE c.open IS NOT NULL AND w.seq <= c.claimed AND l.owner IS NOT NULL
                                          AND l.expires_at > now() AND pg_visible_in_snapshot(w.xid, c.open)) AS claimed
                  FROM outbox_waiting w JOIN outbox_cursors c ON c.lane = w.lane
                  JOIN outbox_lanes l ON l.lane = w.lane) w,
                 (SELECT count(*) FILTER (WHERE h.state = 'CLAIMED') AS claimed,
                         count(*) FILTER (WHERE h.state = 'PENDING' AND h.last_error IS NOT NULL) AS retrying,
                         count(*) FILTER (WHERE h.state = 'PENDING' AND h.last_error IS NULL) AS due,
                         count(*) FILTER (WHERE h.state = 'PARKED') AS parked,
                         count(DISTINCT h.aggregate_id) FILTER (WHERE h.state = 'DEAD_LETTER'
                             OR h.state <> 'PARKED' AND h.last_error IS NOT NULL) AS blocked,
                         min(e.created_at) FILTER (WHERE h.state <> 'DEAD_LETTER') AS oldest
                  FROM # WHERE h.next_attempt_at IS NOT NULL) h,
                 (SELECT count(*) AS dead FROM outbox_held WHERE dead_at IS NOT NULL) d""".replace("#", EACH_HELD);

    private static final String OLDEST_IN_LANE = "SELECT min(w.created_at) FROM outbox_waiting w WHERE w.lane = l.lane";

    private static final String STATE = "(SELECT s.state FROM outbox_states s WHERE s.id = e.id)";

    private static final String ERROR = "(SELECT f.last_error FROM outbox_held f WHERE f.id = e.id)";

    /** Excludes dead letters that block their keys: they are listed as dead letters. */
    private static final Source HELD = new Source("""
            SELECT e.* FROM #
            WHERE h.next_attempt_at IS NOT NULL AND h.dead_at IS NULL %1$s ORDER BY h.seq LIMIT %2$d""".replace("#", EACH_HELD), "e.seq");

    /** Finds events of transactions that committed late along the index on xid, as the view outbox_waiting does. */
    private static final String AHEAD = """
            SELECT e.* FROM outbox_cursors c CROSS JOIN LATERAL (
                (SELECT e.* FROM outbox_events e
                 WHERE outbox_lane(e.aggregate_id) = c.lane AND e.seq > c.done_seq#
                   AND NOT pg_visible_in_snapshot(e.xid, c.done)
                   AND NOT (c.open IS NOT NULL AND e.seq <= c.pos AND pg_visible_in_snapshot(e.xid, c.open))
                   AND NOT EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id) %1$s
                 ORDER BY e.seq LIMIT %2$d)
                UNION ALL
                (SELECT e.* FROM pg_snapshot_xip(c.done) x CROSS JOIN LATERAL (
                     SELECT * FROM outbox_events l WHERE l.xid = x AND l.xid BETWEEN x AND x AND l.seq <= c.done_seq
                     OFFSET 0) e
                 WHERE outbox_lane(e.aggregate_id) = c.lane#
                   AND NOT (c.open IS NOT NULL AND e.seq <= c.pos AND pg_visible_in_snapshot(e.xid, c.open))
                   AND NOT EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id) %1$s
                 ORDER BY e.seq LIMIT %2$d)) e
            ORDER BY e.seq LIMIT %2$d""";

    private static final Source WAITING = new Source(AHEAD.replace("#", ""), "e.seq");

    private static final Source CLAIMED = new Source(AHEAD.replace("#", " AND e.seq <= c.claimed"), "e.seq");

    private static final Source DEAD = new Source("""
            SELECT e.* FROM #
            WHERE h.dead_at IS NOT NULL %1$s ORDER BY h.dead_at, h.seq LIMIT %2$d""".replace("#", EACH_HELD), "s.processed_at, e.seq");

    /** Between two windows, no event above the end of the last window is settled; within a window, none above its position. */
    private static final Source SETTLED = new Source("""
            SELECT e.* FROM outbox_cursors c CROSS JOIN LATERAL (
                SELECT e.* FROM outbox_events e
                WHERE outbox_lane(e.aggregate_id) = c.lane
                  AND e.seq <= CASE WHEN c.open IS NULL THEN c.open_end ELSE greatest(c.done_seq, c.pos) END
                  AND (pg_visible_in_snapshot(e.xid, c.done)
                       OR c.open IS NOT NULL AND e.seq <= c.pos AND pg_visible_in_snapshot(e.xid, c.open))
                  AND NOT EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id
                                  AND (h.next_attempt_at IS NOT NULL OR h.dead_at IS NOT NULL)) %1$s
                ORDER BY e.seq DESC LIMIT %2$d) e
            ORDER BY e.seq DESC LIMIT %2$d""", "e.seq DESC");

    private static final Source DISCARDED = new Source("""
            SELECT e.* FROM #
            WHERE h.settled_at IS NOT NULL AND h.dead_at IS NULL %1$s
            ORDER BY h.settled_at DESC LIMIT %2$d""".replace("#", EACH_HELD), "s.processed_at DESC");

    public static final ViewQueries VIEW =
            new ViewQueries(COUNTS, OLDEST_IN_LANE, STATE, ERROR, HELD, WAITING, CLAIMED, DEAD, SETTLED, DISCARDED);

    /** As {@link #AHEAD}, without the events. */
    private static final String IDS_AHEAD = AHEAD.replace("#", "")
            .replace("SELECT e.* FROM outbox_cursors", "SELECT e.id, e.seq FROM outbox_cursors")
            .replace("SELECT e.* FROM", "SELECT e.id, e.seq FROM");

    private static final String IDS_SETTLED = SETTLED.sql().replace("SELECT e.* FROM", "SELECT e.id, e.seq FROM");

    private static final String HELD_OF = "FROM outbox_held h WHERE h.next_attempt_at IS NOT NULL";

    public static final SearchQueries SEARCH = new SearchQueries(
            new Section(
                    Section.Order.TEXT,
                    "h.aggregate_id",
                    "SELECT h.id, h.seq, h.aggregate_id " + HELD_OF
                            + " AND h.dead_at IS NULL %1$s ORDER BY h.aggregate_id, h.seq LIMIT %2$d"),
            new Section(Section.Order.NUMBER, "e.seq", IDS_AHEAD, 2),
            new Section(
                    Section.Order.TIME,
                    "h.dead_at",
                    "SELECT h.id, h.seq, h.dead_at FROM outbox_held h WHERE h.dead_at IS NOT NULL %1$s"
                            + " ORDER BY h.dead_at, h.seq LIMIT %2$d"),
            new Section(Section.Order.NUMBER_DESCENDING, "e.seq", IDS_SETTLED),
            Optional.of(new Section(
                    Section.Order.NUMBER,
                    JdbcSearch.OF_KEY,
                    "SELECT id, seq FROM outbox_events WHERE aggregate_id = ? %1$s ORDER BY seq LIMIT %2$d")),
            OutboxHeldTable.NEXT_KEY,
            "SELECT 1 " + HELD_OF + " AND h.aggregate_id = ? AND h.state = 'PARKED' LIMIT %d",
            "SELECT id, last_error FROM outbox_held WHERE next_attempt_at < 'infinity' AND last_error IS NOT NULL LIMIT %d",
            "SELECT id, last_error FROM outbox_held WHERE dead_at IS NOT NULL ORDER BY dead_at DESC LIMIT %d");

    private OperatorQueries() {}
}

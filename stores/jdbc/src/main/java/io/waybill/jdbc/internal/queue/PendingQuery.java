package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import java.util.ArrayList;
import java.util.List;

/**
 * The query for the first pending events of several lanes. Its cost does not grow with the number of other events. PostgreSQL uses
 * {@link #LATERAL}, MariaDB and MySQL use {@link #SINGLE_SCAN}, and H2 uses {@link #UNION_ALL}.
 *
 * <p>The columns are those of the event and of {@link QueueStatements#position}, then {@code key_held}, {@code crash_count} and {@code
 * lane}. The column {@code key_held} says whether an earlier event of the same key is held (see {@link KeyColumns#isHeld}).
 *
 * <p>On MariaDB, MySQL and H2 it takes long to compute {@code key_held}, and held keys are rare. Therefore SINGLE_SCAN and UNION_ALL
 * compute it only if {@code withKeyHeld} is true; otherwise it is false for every event. They also return a row whose lane is {@link
 * #ANY_HELD_MARKER} if any event is held. If they return that row without having computed {@code key_held}, the caller repeats the
 * query with {@code withKeyHeld}.
 *
 * <p>The limit is part of the text, because a plan for an arbitrary limit might fetch and sort all pending events of a lane. A relay
 * uses few different limits, so there are few plans.
 */
public enum PendingQuery {
    /** One index scan per lane, in a lateral join. Always computes {@code key_held}. */
    LATERAL {
        @Override
        public String sql(Dialect dialect, int lanes, int perLane, boolean withKeyHeld) {
            return "SELECT " + String.join(", ", columns(dialect, KeyColumns.COMPUTED, "l.lane", perLane, true))
                    + " FROM unnest(?::int[]) AS l (lane) CROSS JOIN LATERAL (SELECT * FROM outbox_events e"
                    + " WHERE outbox_lane(e.aggregate_id) = l.lane" + PENDING + " ORDER BY e.seq LIMIT " + perLane
                    + ") e";
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return List.of(lanes);
        }
    },
    /**
     * One SELECT per lane, for H2, which has no LATERAL. H2 reads in the order of an index only when ORDER BY names all columns of
     * the index, even those that are the same in all rows.
     */
    UNION_ALL {
        @Override
        public String sql(Dialect dialect, int lanes, int perLane, boolean withKeyHeld) {
            List<String> columns = columns(dialect, KeyColumns.STORED, "e.lane", perLane, withKeyHeld);
            String oneLane = "(SELECT " + String.join(", ", columns) + " FROM outbox_events e WHERE e.lane = ?"
                    + PENDING + " ORDER BY " + IN_INDEX_ORDER + " LIMIT " + perLane + ") UNION ALL ";
            return oneLane.repeat(lanes) + anyHeldMarker(dialect, columns.size());
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return lanes;
        }
    },
    /**
     * One scan of one index, lane after lane, until it has found as many events as all lanes together may claim.
     * MariaDB and MySQL use it, because MariaDB takes long to parse one SELECT per lane. A lane may get more events than it may
     * claim, and the lanes after it none.
     */
    SINGLE_SCAN {
        @Override
        public String sql(Dialect dialect, int lanes, int perLane, boolean withKeyHeld) {
            List<String> columns = columns(dialect, KeyColumns.STORED, "e.lane", perLane, withKeyHeld);
            return "(SELECT " + String.join(", ", columns) + " FROM outbox_events e"
                    + dialect.forceIndex("outbox_events_open") + " WHERE e.lane = ANY (?)" + PENDING
                    + " ORDER BY e.lane, e.seq LIMIT " + lanes * perLane + ") UNION ALL "
                    + anyHeldMarker(dialect, columns.size());
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return List.of(lanes);
        }
    };

    /** The lane number of the row that says that some event is held. No real lane has this number. */
    static final int ANY_HELD_MARKER = -1;

    static final String IN_INDEX_ORDER = "e.lane, e.processed_at, e.next_attempt_at, e.seq";

    private static final String PENDING = " AND e.processed_at IS NULL AND e.next_attempt_at IS NULL";

    /** Returns the selected columns. The lane is the last one. */
    private static List<String> columns(
            Dialect dialect, KeyColumns keys, String lane, int perLane, boolean withKeyHeld) {
        List<String> columns = new ArrayList<>(EventRows.columns(dialect, perLane));
        columns.addAll(QueueStatements.position(dialect));
        columns.add((withKeyHeld ? keyHeld(dialect, keys) : "false") + " AS key_held");
        columns.add("e.crash_count");
        columns.add(lane + " AS lane");
        return columns;
    }

    /** Selects the marker row if any event is held: NULL in each column, and the marker in the last one, the lane. */
    private static String anyHeldMarker(Dialect dialect, int columns) {
        return "(SELECT " + "NULL, ".repeat(columns - 1) + ANY_HELD_MARKER + " FROM outbox_events"
                + dialect.forceIndex("outbox_events_held") + " WHERE " + KeyColumns.STORED.isHeld("") + " LIMIT 1)";
    }

    /** Searches for an earlier held event of the key only if any event is held, which is determined once per query. */
    private static String keyHeld(Dialect dialect, KeyColumns columns) {
        String index = dialect.forceIndex("outbox_events_held");
        return "CASE WHEN (SELECT EXISTS (SELECT 1 FROM outbox_events" + index + " WHERE " + columns.isHeld("") + "))"
                + " THEN EXISTS (SELECT 1 FROM outbox_events h" + index + " WHERE "
                + columns.isHeldOf("h.", "e.aggregate_id")
                + " AND h.seq < e.seq) ELSE false END";
    }

    /**
     * Returns the query.
     *
     * @param lanes the number of lanes
     * @param perLane the largest number of events per lane
     * @param withKeyHeld whether to compute {@code key_held}; LATERAL computes it always
     */
    public abstract String sql(Dialect dialect, int lanes, int perLane, boolean withKeyHeld);

    abstract List<?> parameters(List<Integer> lanes);
}

package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import java.util.List;

/**
 * How one statement reads the first pending events of several lanes, at a cost that does not grow with the number of other events.
 * The columns are those of the event and of {@link QueueStatements#position}, then {@code is_held}: whether the event's key is held
 * back, {@code crash_count} and {@code lane}.
 *
 * <p>On some databases it takes long to find for each event whether its key is held back, and hardly any key ever is. There the
 * statement finds that out only on request. Otherwise, a row whose lane is {@link #NO_LANE} says that some event is held back, so
 * that the caller must ask again.
 *
 * <p>The limit is part of the text: a plan for any limit might fetch all pending events of a lane and sort them. A relay uses few
 * limits.
 */
public enum PendingQuery {
    /** Lane by lane, along the index of each. */
    LATERAL {
        @Override
        public String sql(Dialect dialect, int lanes, int most, boolean asksHeld) {
            return event(dialect, KeyColumns.COMPUTED, "l.lane", most, true)
                    + " FROM unnest(?::int[]) AS l (lane) CROSS JOIN LATERAL (SELECT * FROM outbox_events e"
                    + " WHERE outbox_lane(e.aggregate_id) = l.lane" + PENDING + " ORDER BY e.seq LIMIT " + most + ") e";
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return List.of(lanes);
        }
    },
    /**
     * One SELECT per lane, for H2, which has no LATERAL. H2 follows an index only when ORDER BY names all its columns, even those that
     * are the same in all rows.
     */
    UNION_ALL {
        @Override
        public String sql(Dialect dialect, int lanes, int most, boolean asksHeld) {
            String one = "(" + event(dialect, KeyColumns.STORED, "e.lane", most, asksHeld)
                    + " FROM outbox_events e WHERE e.lane = ?" + PENDING + " ORDER BY " + IN_INDEX_ORDER + " LIMIT "
                    + most + ") UNION ALL ";
            return one.repeat(lanes) + SOMETHING_HELD;
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return lanes;
        }
    },
    /**
     * One scan of one index, lane after lane, until there are as many events as all lanes together may claim: for MariaDB, which takes
     * long to parse a SELECT per lane. A lane may get more events than it may claim, and the lanes behind it none.
     */
    SINGLE_SCAN {
        @Override
        public String sql(Dialect dialect, int lanes, int most, boolean asksHeld) {
            return "(" + event(dialect, KeyColumns.STORED, "e.lane", most, asksHeld)
                    + " FROM outbox_events e WHERE e.lane = ANY (?)" + PENDING + " ORDER BY e.lane, e.seq LIMIT "
                    + lanes * most + ") UNION ALL " + SOMETHING_HELD;
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return List.of(lanes);
        }
    };

    /** Sentinel lane number: matches no real lane. */
    static final int NO_LANE = -1;

    static final String IN_INDEX_ORDER = "e.lane, e.processed_at, e.next_attempt_at, e.seq";

    private static final String PENDING = " AND e.processed_at IS NULL AND e.next_attempt_at IS NULL";

    /** Columns between those of the event and the lane: four of the position, is_held and crash_count. */
    private static final int BEFORE_LANE = 6;

    private static final String SOMETHING_HELD = "(SELECT " + "NULL, ".repeat(EventRows.COUNT + BEFORE_LANE) + NO_LANE
            + " FROM outbox_events WHERE " + KeyColumns.STORED.isHeld("") + " LIMIT 1)";

    private static String event(Dialect dialect, KeyColumns columns, String lane, int most, boolean asksHeld) {
        return "SELECT " + EventRows.upTo(dialect, most) + QueueStatements.position(dialect) + ", "
                + (asksHeld ? isHeld(columns) : "false") + " AS is_held, e.crash_count, " + lane + " AS lane";
    }

    /** Looks for an earlier held event of the key only when any event is held at all, which is asked once. */
    private static String isHeld(KeyColumns columns) {
        return "CASE WHEN (SELECT EXISTS (SELECT 1 FROM outbox_events WHERE " + columns.isHeld("") + "))"
                + " THEN EXISTS (SELECT 1 FROM outbox_events h WHERE " + columns.isHeldOf("h.", "e.aggregate_id")
                + " AND h.seq < e.seq) ELSE false END";
    }

    /**
     * @param most events per lane
     * @param asksHeld whether to find for each event if its key is held back
     */
    public abstract String sql(Dialect dialect, int lanes, int most, boolean asksHeld);

    abstract List<?> parameters(List<Integer> lanes);
}

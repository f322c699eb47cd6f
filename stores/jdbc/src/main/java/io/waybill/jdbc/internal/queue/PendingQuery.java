package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.internal.event.EventRows;
import java.util.List;

/**
 * How the first events that wait in each of several lanes are read with one statement, whose cost does not grow with what else
 * waits. The last column is the lane, the third last whether the event's key is held back.
 *
 * <p>Where to ask that of each event takes long, though hardly any ever is, it is not asked unless wanted. A row of no lane then
 * says that something is held back somewhere: it should have been asked.
 *
 * <p>The limit stands in the statement: a plan made for any limit might fetch all that is left of a lane and sort it. A relay uses
 * few of them.
 */
public enum PendingQuery {
    /** Lane by lane, along the index of each. */
    LATERAL {
        @Override
        public String sql(int lanes, int most, boolean asksHeld) {
            return event("l.lane", most, true)
                    + " FROM unnest(?::int[]) AS l (lane) CROSS JOIN LATERAL (SELECT * FROM outbox_events e"
                    + " WHERE outbox_lane(e.aggregate_id) = l.lane" + WAITS + "e.seq LIMIT " + most + ") e";
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return List.of(lanes);
        }
    },
    /** A statement for each lane, where there is no LATERAL. */
    UNITED {
        @Override
        public String sql(int lanes, int most, boolean asksHeld) {
            String one = "(" + event("outbox_lane(e.aggregate_id)", most, asksHeld)
                    + " FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = ?" + WAITS + "e.seq LIMIT " + most
                    + ") UNION ALL ";
            return one.repeat(lanes) + SOMETHING_HELD;
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return lanes;
        }
    },
    /**
     * One lane after the other along one index, until there are as many as all of them may have: where a statement for each takes
     * long to understand. A lane may have more of these than it may have alone, and those behind it none.
     */
    IN_A_ROW {
        @Override
        public String sql(int lanes, int most, boolean asksHeld) {
            return "(" + event("outbox_lane(e.aggregate_id)", most, asksHeld)
                    + " FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = ANY (?)" + WAITS
                    + "outbox_lane(e.aggregate_id), e.seq LIMIT " + lanes * most + ") UNION ALL " + SOMETHING_HELD;
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return List.of(lanes);
        }
    };

    /** The lane of no lane. */
    static final int NONE = -1;

    private static final String WAITS = " AND e.processed_at IS NULL AND e.next_attempt_at IS NULL ORDER BY ";

    private static final String HELD = "FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NOT NULL";

    private static final String SOMETHING_HELD =
            "(SELECT " + "NULL, ".repeat(EventRows.COUNT + 6) + NONE + " " + HELD + " LIMIT 1)";

    /** Looks for what holds an event's key back only where anything is held back at all, which is asked once. */
    private static final String IS_HELD = """
            CASE WHEN (SELECT EXISTS (SELECT 1 %s))
                 THEN EXISTS (SELECT 1 FROM outbox_events h WHERE h.aggregate_id = e.aggregate_id
                              AND h.processed_at IS NULL AND h.next_attempt_at IS NOT NULL AND h.seq < e.seq)
                 ELSE false END""".formatted(HELD);

    private static String event(String lane, int most, boolean asksHeld) {
        return "SELECT " + EventRows.upTo(most) + Claims.POSITION + ", " + (asksHeld ? IS_HELD : "false")
                + ", e.crash_count, " + lane;
    }

    /**
     * @param most of each lane
     * @param asksHeld whether each event shall be asked for what holds it back
     */
    public abstract String sql(int lanes, int most, boolean asksHeld);

    abstract List<?> parameters(List<Integer> lanes);
}

package io.waybill.jdbc;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How the first events that wait in each of several lanes are read with one statement, whose cost does not grow with what else
 * waits. The last column is the lane.
 *
 * <p>The limit stands in the statement: a plan made for any limit might fetch all that is left of a lane and sort it. A relay uses
 * few of them.
 */
enum QueueWaiting {
    /** Lane by lane, along the index of each. */
    LATERAL {
        @Override
        String sql(int lanes, int most) {
            return event("l.lane") + """
                    FROM unnest(?::int[]) AS l (lane) CROSS JOIN LATERAL (
                        SELECT * FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND %s
                        ORDER BY e.seq LIMIT %d) e""".formatted(WAITS, most);
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return List.of(lanes);
        }
    },
    /** A statement for each lane, where there is no LATERAL. */
    UNITED {
        @Override
        String sql(int lanes, int most) {
            String one = event("outbox_lane(e.aggregate_id)") + """
                    FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = ? AND %s
                    ORDER BY e.seq LIMIT %d""".formatted(WAITS, most);
            return lanes == 1
                    ? one
                    : IntStream.range(0, lanes)
                            .mapToObj(lane -> "(" + one + ")")
                            .collect(joining(" UNION ALL "));
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
        String sql(int lanes, int most) {
            return event("outbox_lane(e.aggregate_id)") + """
                    FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = ANY (?) AND %s
                    ORDER BY outbox_lane(e.aggregate_id), e.seq LIMIT %d""".formatted(WAITS, lanes * most);
        }

        @Override
        List<?> parameters(List<Integer> lanes) {
            return List.of(lanes);
        }
    };

    private static final String WAITS = "e.processed_at IS NULL AND e.next_attempt_at IS NULL";

    /** Looks for what holds an event's key back only where anything is held back at all, which is asked once. */
    private static String event(String lane) {
        return "SELECT " + EventRows.COLUMNS + QueueClaims.POSITION + """
                , CASE WHEN (SELECT EXISTS (SELECT 1 FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NOT NULL))
                       THEN EXISTS (SELECT 1 FROM outbox_events h WHERE h.aggregate_id = e.aggregate_id
                                    AND h.processed_at IS NULL AND h.next_attempt_at IS NOT NULL AND h.seq < e.seq)
                       ELSE false END,
                e.crash_count, %s
                """.formatted(lane);
    }

    /** @param most of each lane */
    abstract String sql(int lanes, int most);

    abstract List<?> parameters(List<Integer> lanes);
}

package io.waybill.jdbc;

import io.waybill.operate.EventFilter;
import io.waybill.operate.EventState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One search along one index; a filter may need several, one after the other. */
final class EventSearch {
    private static final String BY_KEY = "FROM outbox_events e WHERE e.aggregate_id = ? %s ORDER BY e.seq LIMIT ?";

    private static final String WAITING = """
            FROM outbox_lanes l CROSS JOIN LATERAL (
                SELECT * FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                AND e.next_attempt_at IS NULL %s ORDER BY e.seq LIMIT ?) e ORDER BY e.seq LIMIT ?""";

    private static final String CLAIMED = """
            FROM outbox_claims c CROSS JOIN LATERAL (
                SELECT * FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = c.lane AND e.processed_at IS NULL
                AND e.next_attempt_at IS NULL AND e.seq BETWEEN c.low AND c.high %s ORDER BY e.seq LIMIT ?) e
            ORDER BY e.seq LIMIT ?""";

    private static final String HELD =
            "FROM outbox_events e WHERE e.processed_at IS NULL AND e.next_attempt_at IS NOT NULL %s ORDER BY e.seq LIMIT ?";

    private static final String DEAD =
            "FROM outbox_events e WHERE e.dead_at IS NOT NULL %s ORDER BY e.dead_at, e.seq LIMIT ?";

    private static final String SETTLED = """
            FROM outbox_events e WHERE e.processed_at IS NOT NULL AND e.dead_at IS NULL %s
            ORDER BY e.processed_at DESC LIMIT ?""";

    /** The relay that has claimed the event for a first attempt; null for every other event. */
    static final String CLAIMED_BY = """
            (SELECT l.owner FROM outbox_claims c JOIN outbox_lanes l ON l.lane = c.lane
             WHERE c.lane = outbox_lane(e.aggregate_id) AND e.seq BETWEEN c.low AND c.high AND l.expires_at > now()
             AND e.processed_at IS NULL AND e.next_attempt_at IS NULL)""";

    private static final String STATE = "CASE WHEN " + CLAIMED_BY + " IS NULL THEN e.state ELSE 'CLAIMED' END";

    private final String sql;
    private final List<Object> values = new ArrayList<>();

    EventSearch(String select, String source, EventFilter filter, int limit) {
        StringBuilder conditions = new StringBuilder();
        if (source.equals(BY_KEY) && filter.key() != null) {
            values.add(filter.key());
        } else {
            add(conditions, "e.aggregate_id = ?", filter.key());
        }
        EventState state = filter.state();
        add(conditions, STATE + " = ?", state == null ? null : state.name());
        add(conditions, "e.event_type = ?", filter.type());
        add(conditions, "e.created_at < now() - ? * interval '1 millisecond'", millis(filter.olderThan()));
        add(conditions, "e.created_at > now() - ? * interval '1 millisecond'", millis(filter.youngerThan()));
        if (state == null && source.equals(HELD)) {
            conditions.append(
                    " AND e.dead_at IS NULL"); // dead letters that block their keys are listed as dead letters
        }
        values.add(limit);
        if (source.equals(WAITING) || source.equals(CLAIMED)) {
            values.add(limit);
        }
        sql = select + " " + source.formatted(conditions);
    }

    /** Open events first, then dead letters, then what is done. */
    static List<String> sources(EventFilter filter) {
        if (filter.key() != null) {
            return List.of(BY_KEY);
        }
        EventState state = filter.state();
        if (state == null) {
            return List.of(HELD, WAITING, DEAD, SETTLED);
        }
        return switch (state) {
            case PENDING -> List.of(HELD, WAITING);
            case CLAIMED -> List.of(HELD, CLAIMED);
            case PARKED -> List.of(HELD);
            case DEAD_LETTER -> List.of(DEAD);
            case PUBLISHED, DISCARDED -> List.of(SETTLED);
        };
    }

    PreparedStatement prepare(Connection connection) throws SQLException {
        PreparedStatement query = connection.prepareStatement(sql);
        for (int i = 0; i < values.size(); i++) {
            query.setObject(i + 1, values.get(i));
        }
        return query;
    }

    private void add(StringBuilder conditions, String condition, @Nullable Object value) {
        if (value != null) {
            conditions.append(" AND ").append(condition);
            values.add(value);
        }
    }

    private static @Nullable Long millis(@Nullable Duration age) {
        return age == null ? null : age.toMillis();
    }
}

package io.waybill.jdbc.internal.admin;

import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import java.util.List;

/**
 * Where an engine's tables hold what {@link JdbcView} shows.
 *
 * @param counts one row: the time; waiting for a first attempt, of these claimed; in the side of retries: claimed, retrying,
 *     due without a failure of their own, parked; blocked keys; dead letters; seconds since the oldest pending event
 * @param oldestInLane when the oldest event of lane {@code l.lane} was written that waits for a first attempt
 * @param state the state of the row {@code e} of {@code outbox_events}
 */
public record ViewQueries(
        String counts,
        String oldestInLane,
        String state,
        Source held,
        Source waiting,
        Source claimed,
        Source dead,
        Source settled,
        Source discarded) {

    /**
     * @param sql selects rows of {@code outbox_events e}; {@code %1$s} stands for further conditions, {@code %2$d} for the
     *     limit
     * @param order the order of the rows, which are {@code e}, joined with their {@code outbox_states s}
     */
    public record Source(String sql, String order) {}

    private static final Source BY_KEY =
            new Source("SELECT * FROM outbox_events e WHERE true %1$s ORDER BY e.seq LIMIT %2$d", "e.seq");

    /** Open events first, then dead letters, then what is done. */
    public List<Source> sources(EventFilter filter) {
        if (filter.key() != null) {
            return List.of(BY_KEY);
        }
        EventState state = filter.state();
        if (state == null) {
            return List.of(held, waiting, dead, settled);
        }
        return switch (state) {
            case PENDING -> List.of(held, waiting);
            case CLAIMED -> List.of(held, claimed);
            case PARKED -> List.of(held);
            case DEAD_LETTER -> List.of(dead);
            case PUBLISHED -> List.of(settled);
            case DISCARDED -> List.of(discarded);
        };
    }
}

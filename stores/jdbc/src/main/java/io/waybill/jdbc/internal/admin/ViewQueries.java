package io.waybill.jdbc.internal.admin;

import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The queries of {@link JdbcView} for the tables of an engine.
 *
 * @param counts selects one row: the time; the events before their first attempt, and how many of these are claimed; the held
 *     events that are claimed, that wait for a retry, that are due without a failure of their own, and that are parked; the
 *     blocked keys; the dead letters; the age of the oldest pending event in seconds
 * @param oldestInLane selects the creation time of the oldest event in lane {@code l.lane} that is before its first attempt
 * @param state an expression for the state of the row {@code e} of {@code outbox_events}
 * @param error an expression for the last error of the row {@code e}
 */
public record ViewQueries(
        String counts,
        String oldestInLane,
        String state,
        String error,
        Source held,
        Source waiting,
        Source claimed,
        Source dead,
        Source settled,
        Source discarded) {

    /**
     * A set of events that one index contains.
     *
     * @param sql selects rows of {@code outbox_events e}; {@code %1$s} is the place of further conditions, {@code %2$d} that of the
     *     limit
     * @param order the order of the rows {@code e}, which are joined with their {@code outbox_states s}
     */
    public record Source(String sql, String order) {}

    private static final Source BY_KEY =
            new Source("SELECT * FROM outbox_events e WHERE true %1$s ORDER BY e.seq LIMIT %2$d", "e.seq");

    /** Returns the sources to search, in order: open events, dead letters, settled events. */
    public List<Source> sources(EventFilter filter) {
        if (filter.key() != null) {
            return List.of(BY_KEY);
        }
        if (filter.states().isEmpty()) {
            return List.of(held, waiting, dead, settled);
        }
        Set<Source> sources = new LinkedHashSet<>();
        if (filter.includes(EventState.PENDING)
                || filter.includes(EventState.CLAIMED)
                || filter.includes(EventState.PARKED)) {
            sources.add(held);
        }
        if (filter.includes(EventState.PENDING)) {
            sources.add(waiting);
        } else if (filter.includes(EventState.CLAIMED)) {
            sources.add(claimed);
        }
        if (filter.includes(EventState.DEAD_LETTER)) {
            sources.add(dead);
        }
        if (filter.includes(EventState.PUBLISHED)) {
            sources.add(settled);
        } else if (filter.includes(EventState.DISCARDED)) {
            sources.add(discarded);
        }
        return List.copyOf(sources);
    }
}

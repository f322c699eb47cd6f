package io.waybill.admin;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects events. A component that is null or empty matches every event.
 *
 * @param states the event is in one of these states
 * @param type a type, or the beginning of a type followed by {@code *}
 * @param topic the topic to which the event is published
 * @param error a part of the last error; upper and lower case are equal
 * @param traceId the trace id in the header {@code traceparent}
 * @param olderThan minimum age, measured from the insert
 * @param youngerThan maximum age, measured from the insert
 */
public record EventFilter(
        Set<EventState> states,
        @Nullable String key,
        @Nullable String type,
        @Nullable String topic,
        @Nullable String error,
        @Nullable String traceId,
        @Nullable Duration olderThan,
        @Nullable Duration youngerThan) {

    public static final EventFilter ALL = new EventFilter(Set.of(), null, null, null, null, null, null, null);

    public EventFilter {
        states = Set.copyOf(states);
    }

    public EventFilter state(EventState state) {
        return states(EnumSet.of(state));
    }

    public EventFilter states(Set<EventState> states) {
        return new EventFilter(states, key, type, topic, error, traceId, olderThan, youngerThan);
    }

    public EventFilter key(@Nullable String key) {
        return new EventFilter(states, key, type, topic, error, traceId, olderThan, youngerThan);
    }

    public EventFilter type(@Nullable String type) {
        return new EventFilter(states, key, type, topic, error, traceId, olderThan, youngerThan);
    }

    public EventFilter topic(@Nullable String topic) {
        return new EventFilter(states, key, type, topic, error, traceId, olderThan, youngerThan);
    }

    public EventFilter error(@Nullable String error) {
        return new EventFilter(states, key, type, topic, error, traceId, olderThan, youngerThan);
    }

    public EventFilter traceId(@Nullable String traceId) {
        return new EventFilter(states, key, type, topic, error, traceId, olderThan, youngerThan);
    }

    public EventFilter olderThan(@Nullable Duration age) {
        return new EventFilter(states, key, type, topic, error, traceId, age, youngerThan);
    }

    public EventFilter youngerThan(@Nullable Duration age) {
        return new EventFilter(states, key, type, topic, error, traceId, olderThan, age);
    }

    /** Whether events in this state match, as far as the state is concerned. */
    public boolean includes(EventState state) {
        return states.isEmpty() || states.contains(state);
    }
}

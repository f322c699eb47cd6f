package io.waybill.admin;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Selects events. A component that is null matches every event.
 *
 * @param olderThan minimum age, measured from the insert
 * @param youngerThan maximum age, measured from the insert
 */
public record EventFilter(
        @Nullable EventState state,
        @Nullable String key,
        @Nullable String type,
        @Nullable Duration olderThan,
        @Nullable Duration youngerThan) {

    public static final EventFilter ALL = new EventFilter(null, null, null, null, null);

    public EventFilter state(EventState state) {
        return new EventFilter(state, key, type, olderThan, youngerThan);
    }

    public EventFilter key(@Nullable String key) {
        return new EventFilter(state, key, type, olderThan, youngerThan);
    }

    public EventFilter type(@Nullable String type) {
        return new EventFilter(state, key, type, olderThan, youngerThan);
    }

    public EventFilter olderThan(@Nullable Duration age) {
        return new EventFilter(state, key, type, age, youngerThan);
    }

    public EventFilter youngerThan(@Nullable Duration age) {
        return new EventFilter(state, key, type, olderThan, age);
    }
}

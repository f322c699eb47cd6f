package io.waybill.saga.admin;

import io.waybill.saga.SagaStatus;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which sagas to list. Null and empty parts match all.
 *
 * @param keyPrefix the beginning of the business key
 * @param olderThan sagas that started longer ago
 * @param stuckOnly only sagas with a step that waits for a person
 * @param stuckStep only sagas in which this step waits for a person
 * @param after the last saga of the page before; null for the first page
 */
public record SagaFilter(
        @Nullable String name,
        Set<SagaStatus> statuses,
        @Nullable String keyPrefix,
        @Nullable Duration olderThan,
        boolean stuckOnly,
        @Nullable String stuckStep,
        @Nullable UUID after,
        int limit) {
    public static final int MOST = 1_000;

    public SagaFilter {
        statuses = Set.copyOf(statuses);
        limit = Math.max(1, Math.min(limit, MOST));
    }

    public static SagaFilter all(int limit) {
        return new SagaFilter(null, Set.of(), null, null, false, null, null, limit);
    }

    /** Whether no ended saga can match. Stores use it to search only the sagas that have not ended, which are few. */
    public boolean openOnly() {
        return stuckOnly
                || stuckStep != null
                || (!statuses.isEmpty()
                        && statuses.stream().noneMatch(status -> status.isEnd() || status == SagaStatus.FAILED));
    }

    public SagaFilter name(@Nullable String definition) {
        return new SagaFilter(definition, statuses, keyPrefix, olderThan, stuckOnly, stuckStep, after, limit);
    }

    public SagaFilter statuses(Set<SagaStatus> wanted) {
        return new SagaFilter(name, wanted, keyPrefix, olderThan, stuckOnly, stuckStep, after, limit);
    }

    public SagaFilter keyPrefix(@Nullable String prefix) {
        return new SagaFilter(name, statuses, prefix, olderThan, stuckOnly, stuckStep, after, limit);
    }

    public SagaFilter olderThan(@Nullable Duration age) {
        return new SagaFilter(name, statuses, keyPrefix, age, stuckOnly, stuckStep, after, limit);
    }

    public SagaFilter stuckOnly(boolean only) {
        return new SagaFilter(name, statuses, keyPrefix, olderThan, only, stuckStep, after, limit);
    }

    public SagaFilter stuckStep(@Nullable String step) {
        return new SagaFilter(name, statuses, keyPrefix, olderThan, stuckOnly, step, after, limit);
    }

    public SagaFilter after(@Nullable UUID last) {
        return new SagaFilter(name, statuses, keyPrefix, olderThan, stuckOnly, stuckStep, last, limit);
    }
}

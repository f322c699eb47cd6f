package io.waybill.saga;

import io.waybill.Event;
import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One step of a definition.
 *
 * @param after the names of the steps that must be completed before
 * @param timeout of one attempt; null without a limit
 * @param compensation null for a step that is not undone
 */
public record SagaStep<D>(
        String name,
        List<String> after,
        StepRole role,
        StepAction<D> action,
        @Nullable Duration timeout,
        RetryPolicy retry,
        @Nullable Compensation<D> compensation,
        @Nullable String noCompensation,
        @Nullable StepAction<D> alternative,
        BiFunction<D, String, ForwardRecovery> recovery,
        List<Function<D, Event>> emits,
        StepHooks<D> hooks) {
    public SagaStep {
        after = List.copyOf(after);
        emits = List.copyOf(emits);
    }

    /** How a step is undone. */
    public record Compensation<D>(
            StepAction<D> action,
            CompensationKind kind,
            @Nullable Duration timeout,
            RetryPolicy retry,
            List<Function<D, Event>> emits) {
        public Compensation {
            emits = List.copyOf(emits);
        }
    }

    /** Whether the step is undone after it succeeded or became in doubt. */
    public boolean isCompensated() {
        return compensation != null;
    }

    Optional<String> pivotName() {
        return role == StepRole.PIVOT ? Optional.of(name) : Optional.empty();
    }
}

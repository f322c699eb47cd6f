package io.waybill.saga.admin;

import io.waybill.saga.StepStatus;
import io.waybill.saga.internal.execution.StateJson;
import io.waybill.saga.store.SagaRecord;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one step of an execution.
 *
 * @param attempts the attempts that have begun
 * @param compensationAttempts the attempts of its compensation that have begun
 * @param stuck whether the step or its compensation waits for a person
 * @param nextAt when the current attempt times out, or the next one begins
 */
public record StepDetails(
        String name,
        StepStatus status,
        int attempts,
        int compensationAttempts,
        boolean stuck,
        @Nullable String error,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Instant nextAt) {

    /** Returns the steps of a saga, in the order of its definition. */
    public static List<StepDetails> of(SagaRecord saga) {
        return StateJson.steps(saga.state()).stream()
                .map(step -> new StepDetails(
                        step.name(),
                        step.status(),
                        step.attempt(),
                        step.undoAttempt(),
                        step.stuck(),
                        step.error(),
                        step.startedAt(),
                        step.endedAt(),
                        step.nextAt()))
                .toList();
    }
}

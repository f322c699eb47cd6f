package io.waybill.saga;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The current result of one execution.
 *
 * @param success whether every step succeeded
 * @param data the data as the steps left it
 * @param completedSteps the number of steps that succeeded and were not undone
 * @param error the first failure; null if there is none
 * @param compensationErrors the compensations that failed, each with its step
 * @param committedSteps the steps that succeeded and cannot be undone any more; empty before the pivot has succeeded
 * @param taintedSteps the steps whose effect remains although the saga did not complete
 * @param forwardRecoveryNeeded whether a step after the pivot waits for a person
 * @param rollbackBoundary the pivot, if it has succeeded: the steps before it are not undone any more; otherwise null
 */
public record SagaResult<D>(
        UUID sagaId,
        String sagaName,
        String businessKey,
        boolean success,
        SagaStatus status,
        D data,
        int completedSteps,
        int totalSteps,
        @Nullable String error,
        Duration executionTime,
        List<String> compensationErrors,
        boolean pivotReached,
        List<String> committedSteps,
        List<String> taintedSteps,
        boolean forwardRecoveryNeeded,
        @Nullable String rollbackBoundary) {
    public SagaResult {
        compensationErrors = List.copyOf(compensationErrors);
        committedSteps = List.copyOf(committedSteps);
        taintedSteps = List.copyOf(taintedSteps);
    }
}

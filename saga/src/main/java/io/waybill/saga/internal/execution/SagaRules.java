package io.waybill.saga.internal.execution;

import io.waybill.saga.Saga;
import io.waybill.saga.StepStatus;
import java.util.UUID;

/** The decisions on which the promises of the engine rest. Tests replace them by wrong ones, which the checkers must notice. */
public class SagaRules {
    public static final SagaRules RIGHT = new SagaRules();

    protected SagaRules() {}

    /** Whether a step in this state has, or may have, an effect to be undone. */
    protected boolean needsUndo(StepStatus status) {
        return status == StepStatus.COMPLETED || status == StepStatus.IN_DOUBT;
    }

    /** Whether one step must be undone before another one. */
    protected boolean undoneBefore(Saga<?> saga, String step, String other) {
        return saga.allDependants(other).contains(step);
    }

    /** The idempotency key of an external call. */
    protected String callKey(UUID command, int attempt) {
        return command.toString();
    }

    /** Whether the result of an attempt is that of the current one. */
    protected boolean isCurrent(int attempt, int currentAttempt) {
        return attempt == currentAttempt;
    }
}

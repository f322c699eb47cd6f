package io.waybill.faults.saga;

import io.waybill.saga.Saga;
import io.waybill.saga.StepStatus;
import io.waybill.saga.internal.execution.SagaRules;
import java.util.UUID;

/** A wrong decision of a saga engine. The checks must notice each of them. */
public enum SagaBug {
    NONE(SagaRules.RIGHT),

    /** A step is undone before the steps that depend on it. */
    COMPENSATE_IN_FORWARD_ORDER(new SagaRules() {
        @Override
        protected boolean undoneBefore(Saga<?> saga, String step, String other) {
            return saga.allDependants(step).contains(other);
        }
    }),

    /** The late result of an earlier attempt counts as the result of the current one. */
    RESUME_WITHOUT_FENCE(new SagaRules() {
        @Override
        protected boolean isCurrent(int attempt, int currentAttempt) {
            return true;
        }
    }),

    /** Each attempt of a call has another idempotency key, so a call whose result was not recorded is made twice. */
    RECORD_WITHOUT_KEY(new SagaRules() {
        @Override
        protected String callKey(UUID command, int attempt) {
            return command + "/" + attempt;
        }
    }),

    /** A step that may have had an effect is not undone. */
    IN_DOUBT_AS_FAILED(new SagaRules() {
        @Override
        protected boolean needsUndo(StepStatus status) {
            return status == StepStatus.COMPLETED;
        }
    });

    @SuppressWarnings("ImmutableEnumChecker") // rules have no state
    private final SagaRules rules;

    SagaBug(SagaRules rules) {
        this.rules = rules;
    }

    public SagaRules rules() {
        return rules;
    }
}

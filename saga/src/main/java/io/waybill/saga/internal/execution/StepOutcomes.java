package io.waybill.saga.internal.execution;

import io.waybill.Event;
import io.waybill.saga.ForwardRecovery;
import io.waybill.saga.Reply;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;
import io.waybill.saga.StepRole;
import io.waybill.saga.StepStatus;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaSignal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides what the results of steps mean for the steps and for their saga, until compensation begins. */
final class StepOutcomes<D> {
    private final Execution<D> execution;
    private final Saga<D> saga;

    StepOutcomes(Execution<D> execution) {
        this.execution = execution;
        this.saga = execution.saga;
    }

    /** Passes an event to the step that waits for it. */
    void accept(SagaStep<D> step, StepAction<D> action, Reply reply) {
        StepAction.ReplyHandler<D> handler = action.replies().get(reply.type());
        if (handler != null) {
            succeeded(step, handler.apply(execution.data(), reply));
        } else {
            refused(step, refusal(reply));
        }
    }

    private static String refusal(Reply reply) {
        for (String field : List.of("reason", "error", "message")) {
            try {
                String text = reply.text(field);
                if (!text.isEmpty()) {
                    return reply.type() + ": " + text;
                }
            } catch (RuntimeException e) {
                return reply.type(); // the payload is no JSON object
            }
        }
        return reply.type();
    }

    /** @param data the data from here on; null to keep it */
    void succeeded(SagaStep<D> step, @Nullable D data) {
        StepState state = execution.state(step);
        if (data != null) {
            execution.data(data);
        }
        List<Event> events = execution.made(step.emits()); // the last thing that can fail
        state.settle(StepStatus.COMPLETED, execution.now);
        state.error = null;
        execution.history(HistoryKind.STEP_COMPLETED, step.name(), state.attempt, null);
        execution.effects.events().addAll(events);
        execution.lifecycle(step.name() + ".success", step.name(), null);
        Duration took = state.startedAt == null ? Duration.ZERO : Duration.between(state.startedAt, execution.now);
        execution.notice(() -> execution.listener.stepSucceeded(execution.id(), saga.name(), step.name(), took));
        if (!step.hooks().onSuccess().isEmpty()) {
            D now = execution.data();
            step.hooks().onSuccess().forEach(hook -> execution.notice(() -> hook.accept(now)));
        }
        if (step.role() == StepRole.PIVOT) {
            execution.deadlineAt = null;
            onlyForward();
        }
    }

    /**
     * The pivot has succeeded although a step beside it failed: the failed step now needs a decision. Other steps that have failed or
     * were given up begin again, because the saga goes forward.
     */
    private void onlyForward() {
        if (execution.failure != null) {
            String failed = execution.failedStep;
            String error = execution.failure;
            execution.failure = null;
            execution.failedStep = null;
            execution.graceEndsAt = null;
            for (SagaStep<D> step : saga.steps()) {
                StepState state = execution.state(step);
                if (state.status == StepStatus.FAILED || state.status == StepStatus.IN_DOUBT) {
                    state.status = StepStatus.EXECUTING;
                    if (step.name().equals(failed)) {
                        stick(step, state, error);
                    } else {
                        retry(state, Duration.ZERO);
                    }
                }
            }
        }
    }

    /** The step is known to have had no effect, and another attempt would not help. */
    void refused(SagaStep<D> step, String error) {
        StepState state = execution.state(step);
        state.open = false;
        state.refusals++;
        exhausted(step, error, false);
    }

    /**
     * An attempt failed.
     *
     * @param inDoubt whether it may have had an effect. An earlier attempt may have had one, too, until the participant answers
     */
    void failed(SagaStep<D> step, String error, boolean inDoubt) {
        StepState state = execution.state(step);
        state.failures++;
        state.error = error;
        boolean draining = execution.failure != null && step.role() != StepRole.PIVOT;
        if (draining || step.retry().exhausted(state.failures)) {
            exhausted(step, error, inDoubt || state.open);
            return;
        }
        state.dueAt = null;
        state.retryAt = execution.now.plus(step.retry().delay(state.failures));
        execution.history(HistoryKind.ATTEMPT_FAILED, step.name(), state.attempt, error);
    }

    private void exhausted(SagaStep<D> step, String error, boolean inDoubt) {
        StepState state = execution.state(step);
        state.error = error;
        if (execution.isCommitted(step) || (execution.pivotReached() && step.role() != StepRole.PIVOT)) {
            recover(step, state, error);
        } else if (step.role() == StepRole.PIVOT && inDoubt) {
            // Neither direction is safe: only the participant knows whether the saga has passed the point of no return.
            stick(step, state, error);
        } else {
            give(step, state, error, inDoubt);
        }
    }

    private void give(SagaStep<D> step, StepState state, String error, boolean inDoubt) {
        state.settle(inDoubt ? StepStatus.IN_DOUBT : StepStatus.FAILED, execution.now);
        state.error = error;
        execution.history(
                inDoubt ? HistoryKind.STEP_IN_DOUBT : HistoryKind.STEP_FAILED, step.name(), state.attempt, error);
        execution.lifecycle(step.name() + ".failed", step.name(), error);
        execution.notice(() -> execution.listener.stepFailed(execution.id(), saga.name(), step.name(), inDoubt, error));
        if (!step.hooks().onFailure().isEmpty()) {
            D data = execution.data();
            step.hooks().onFailure().forEach(hook -> execution.notice(() -> hook.accept(data, error)));
        }
        fail(step.name(), error);
    }

    /** The saga has failed: no further step begins, and steps in progress get the time that the definition gives them. */
    void fail(@Nullable String step, String error) {
        if (execution.failure == null) {
            execution.failure = error;
            execution.failedStep = step;
            Duration grace = saga.parallelFailure().grace();
            execution.graceEndsAt = grace == null ? null : execution.now.plus(grace);
        }
    }

    private void recover(SagaStep<D> step, StepState state, String error) {
        ForwardRecovery decision;
        try {
            decision = step.recovery().apply(execution.data(), error);
        } catch (RuntimeException e) {
            decision = ForwardRecovery.MANUAL_INTERVENTION;
            state.error = error + " (The recovery rule failed as well: " + e + ")";
        }
        if (decision == ForwardRecovery.RETRY_WITH_ALTERNATIVE && (step.alternative() == null || state.alternative)) {
            decision = ForwardRecovery.MANUAL_INTERVENTION;
        }
        execution.history(HistoryKind.RECOVERY, step.name(), state.attempt, decision + ": " + error);
        switch (decision) {
            case RETRY -> retry(state, step.retry().longestDelay());
            case RETRY_WITH_ALTERNATIVE -> {
                state.alternative = true;
                retry(state, Duration.ZERO);
            }
            case SKIP -> skipped(step, error);
            case MANUAL_INTERVENTION -> stick(step, state, error);
        }
    }

    void skipped(SagaStep<D> step, String why) {
        StepState state = execution.state(step);
        state.settle(StepStatus.SKIPPED, execution.now);
        execution.history(HistoryKind.STEP_SKIPPED, step.name(), state.attempt, why);
    }

    void retry(StepState state, Duration delay) {
        state.failures = 0;
        state.stuck = false;
        state.dueAt = null;
        state.retryAt = execution.now.plus(delay);
    }

    void stick(SagaStep<D> step, StepState state, String error) {
        state.dueAt = null;
        state.retryAt = null;
        state.stuck = true;
        state.error = error;
        execution.history(HistoryKind.STUCK, step.name(), state.attempt, error);
        execution.notice(() -> execution.listener.stuck(execution.id(), saga.name(), step.name(), error));
    }

    /**
     * After a failure: gives up the steps that need not be waited for.
     *
     * @return whether no step is in progress any more, so that compensation can begin
     */
    boolean drained() {
        boolean graceOver = execution.graceEndsAt != null && !execution.graceEndsAt.isAfter(execution.now);
        boolean drained = true;
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (state.status == StepStatus.EXECUTING && !abandoned(step, state, graceOver)) {
                drained = false;
            }
        }
        if (graceOver) {
            execution.graceEndsAt =
                    null; // the saga now waits for its pivot or for a child, and is not due before they end
        }
        return drained;
    }

    /** Ends a step in progress, if its effect is known or the grace is over. */
    private boolean abandoned(SagaStep<D> step, StepState state, boolean graceOver) {
        StepAction<D> action = state.action(step);
        boolean began = state.attempt > 0;
        boolean mayHaveEffect = state.open;
        if (step.role() == StepRole.PIVOT && mayHaveEffect) {
            return false; // its result decides whether the saga can be undone
        }
        if (action instanceof StepAction.Child && began) {
            if (graceOver && state.dueAt != null) {
                state.dueAt = null;
            }
            cancelChildOnce(step, state);
            return false; // the end of the child tells what there is to undo
        }
        if (mayHaveEffect && state.retryAt == null && !graceOver) {
            return false;
        }
        state.settle(mayHaveEffect ? StepStatus.IN_DOUBT : StepStatus.FAILED, execution.now);
        state.error = "Given up, because the saga failed: " + execution.failure;
        execution.history(
                mayHaveEffect ? HistoryKind.STEP_IN_DOUBT : HistoryKind.STEP_FAILED,
                step.name(),
                state.attempt,
                state.error);
        return true;
    }

    private void cancelChildOnce(SagaStep<D> step, StepState state) {
        if (!state.stuck && state.error == null) {
            state.error = "Its saga failed; the child is cancelled.";
            state.dueAt = null;
            cancelChild(step, state, "The saga of its parent failed.");
        }
    }

    void cancelChild(SagaStep<D> step, StepState state, String reason) {
        if (step.action() instanceof StepAction.Child<D, ?>) {
            execution
                    .effects
                    .postings()
                    .add(new Effects.Posting(
                            ChildIds.of(execution.id(), state),
                            new SagaSignal(0, SagaSignal.Kind.CANCEL, null, null, "saga " + saga.name(), reason)));
        }
    }

    /** The child of a step has ended. */
    void childEnded(SagaStep<D> step, StepState state, SagaStatus result, String childData, String error) {
        if (state.status != StepStatus.EXECUTING || !(step.action() instanceof StepAction.Child<D, ?> child)) {
            execution.history(HistoryKind.STALE_REPLY, step.name(), state.attempt, "The child ended: " + result);
            return;
        }
        if (result == SagaStatus.COMPLETED) {
            try {
                succeeded(step, childResult(child, childData));
            } catch (RuntimeException e) { // the same again and again, and no other signal would be applied
                exhausted(step, "Cannot use the result of the child: " + e, true);
            }
        } else if (result == SagaStatus.ROLLED_BACK) {
            refused(step, "The child was rolled back: " + error);
        } else {
            exhausted(step, "The child ended as " + result + ": " + error, true);
        }
    }

    private <C> D childResult(StepAction.Child<D, C> child, String childData) {
        return child.result()
                .apply(
                        execution.data(),
                        execution.json.read(childData, child.saga().dataType()));
    }
}

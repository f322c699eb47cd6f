package io.waybill.saga.internal.execution;

import io.waybill.Event;
import io.waybill.saga.Command;
import io.waybill.saga.CompensationFailure;
import io.waybill.saga.ExternalCall;
import io.waybill.saga.Reply;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaHeaders;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;
import io.waybill.saga.StepStatus;
import io.waybill.saga.store.HistoryKind;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Undoes the steps of a failed saga, each one after all steps that depend on it.
 *
 * <p>A step in doubt is undone like one that has succeeded. Its participant may get the compensation before the command; see {@link
 * io.waybill.saga.participant.SagaParticipant}.
 */
final class Compensation<D> {
    private final Execution<D> execution;
    private final Saga<D> saga;
    private final SagaRules rules;

    Compensation(Execution<D> execution, SagaRules rules) {
        this.execution = execution;
        this.saga = execution.saga;
        this.rules = rules;
    }

    /** Begins the compensations that can begin now, and ends the saga after the last one. */
    void advance() {
        boolean began = true;
        while (began) {
            began = false;
            for (SagaStep<D> step : saga.steps()) {
                if (needsUndo(step) && mayUndo(step)) {
                    begin(step);
                    began = true;
                }
            }
        }
        boolean open = false;
        boolean stuck = false;
        boolean tainted = false;
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            open |= needsUndo(step) || state.status == StepStatus.COMPENSATING;
            stuck |= state.stuck;
            tainted |= state.status == StepStatus.TAINTED;
        }
        if (!open) {
            execution.end(tainted ? SagaStatus.FAILED : SagaStatus.ROLLED_BACK);
        } else {
            execution.status = stuck ? SagaStatus.FAILED : SagaStatus.COMPENSATING;
        }
    }

    private boolean needsUndo(SagaStep<D> step) {
        return step.isCompensated() && rules.needsUndo(execution.state(step).status);
    }

    private boolean mayUndo(SagaStep<D> step) {
        for (SagaStep<D> other : saga.steps()) {
            StepState state = execution.state(other);
            if (state.stuck && saga.compensationFailure() == CompensationFailure.FAIL_FAST) {
                return false;
            }
            boolean passedOver = state.stuck && saga.compensationFailure() == CompensationFailure.RETRY_THEN_CONTINUE;
            if (!passedOver
                    && (needsUndo(other) || state.status == StepStatus.COMPENSATING)
                    && rules.undoneBefore(saga, other.name(), step.name())) {
                return false;
            }
        }
        return true;
    }

    private void begin(SagaStep<D> step) {
        StepState state = execution.state(step);
        state.wasInDoubt = state.status == StepStatus.IN_DOUBT;
        state.status = StepStatus.COMPENSATING;
        state.failures = 0;
        state.error = null;
        state.endedAt = null;
        state.retryAt = execution.now;
        attemptInline(step, state);
    }

    private static <D> SagaStep.Compensation<D> compensation(SagaStep<D> step) {
        SagaStep.Compensation<D> compensation = step.compensation();
        if (compensation == null) {
            throw new IllegalStateException("Step " + step.name() + " has no compensation.");
        }
        return compensation;
    }

    void attemptInline(SagaStep<D> step, StepState state) {
        StepAction<D> action = compensation(step).action();
        if (action instanceof StepAction.Local || action instanceof StepAction.External) {
            return; // a worker begins it
        }
        attempted(step, state);
        if (action instanceof StepAction.Manual<D> manual) {
            stick(step, state, "To be done by a person: " + manual.instructions());
        } else if (action instanceof StepAction.Send<D> send) {
            try {
                Command command = send.command().apply(execution.data());
                execution.send(
                        command,
                        state,
                        CommandIds.compensation(execution.id(), step.name()),
                        state.undoAttempt,
                        CommandIds.forward(execution.id(), state));
            } catch (RuntimeException e) {
                failed(step, "Cannot begin: " + e);
                return;
            }
            if (send.replies().isEmpty()) {
                undone(step, null);
            } else {
                Duration timeout = compensation(step).timeout();
                state.dueAt = timeout == null ? null : execution.now.plus(timeout);
            }
        }
    }

    private void attempted(SagaStep<D> step, StepState state) {
        state.undoAttempt++;
        state.retryAt = null;
        execution.history(HistoryKind.COMPENSATION_STARTED, step.name(), state.undoAttempt, null);
    }

    @Nullable
    LocalRun<D> nextLocal() {
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (isDue(state) && compensation(step).action() instanceof StepAction.Local<?, D> local) {
                attempted(step, state);
                return new LocalRun<>(step, true, state.undoAttempt, local);
            }
        }
        return null;
    }

    void beginCalls() {
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (isDue(state) && compensation(step).action() instanceof StepAction.External<D> external) {
                attempted(step, state);
                Duration timeout = compensation(step).timeout();
                state.dueAt = execution.now.plus(timeout == null ? Duration.ofSeconds(30) : timeout);
                String key = rules.callKey(CommandIds.compensation(execution.id(), step.name()), state.undoAttempt);
                UUID undone = CommandIds.forward(execution.id(), state);
                execution
                        .effects
                        .calls()
                        .add(new Effects.Call<>(
                                step.name(),
                                true,
                                external.work(),
                                execution.data(),
                                execution.text(),
                                new ExternalCall(
                                        execution.id(), step.name(), key, state.undoAttempt, undone.toString())));
                return;
            }
        }
    }

    private boolean isDue(StepState state) {
        return state.status == StepStatus.COMPENSATING
                && !state.stuck
                && state.retryAt != null
                && !state.retryAt.isAfter(execution.now);
    }

    void timers() {
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (isDue(state)) {
                attemptInline(step, state);
            } else if (state.status == StepStatus.COMPENSATING
                    && !state.stuck
                    && state.dueAt != null
                    && !state.dueAt.isAfter(execution.now)) {
                failed(
                        step,
                        "No result within " + compensation(step).timeout() + " (attempt " + state.undoAttempt + ").");
            }
        }
    }

    /** @return whether the reply was used: the refusal of an earlier attempt says nothing about the current one */
    boolean accept(SagaStep<D> step, Reply reply) {
        StepAction.ReplyHandler<D> handler =
                compensation(step).action().replies().get(reply.type());
        if (handler != null) {
            undone(step, handler.apply(execution.data(), reply));
            return true;
        }
        StepState state = execution.state(step);
        String attempt = reply.event().headers().get(SagaHeaders.ATTEMPT);
        boolean current = attempt == null || attempt.equals(Integer.toString(state.undoAttempt));
        if (state.stuck || state.retryAt != null || !current) {
            return false;
        }
        failed(step, "Refused: " + reply.type());
        return true;
    }

    void undone(SagaStep<D> step, @Nullable D data) {
        StepState state = execution.state(step);
        if (data != null) {
            execution.data(data);
        }
        List<Event> events = execution.made(compensation(step).emits()); // the last thing that can fail
        state.settle(StepStatus.COMPENSATED, execution.now);
        state.error = null;
        execution.history(HistoryKind.STEP_COMPENSATED, step.name(), state.undoAttempt, null);
        execution.effects.events().addAll(events);
        execution.lifecycle(step.name() + ".compensated", step.name(), null);
        execution.notice(() -> execution.listener.stepCompensated(execution.id(), saga.name(), step.name()));
        if (!step.hooks().onCompensated().isEmpty()) {
            D now = execution.data();
            step.hooks().onCompensated().forEach(hook -> execution.notice(() -> hook.accept(now)));
        }
    }

    void failed(SagaStep<D> step, String error) {
        StepState state = execution.state(step);
        state.failures++;
        state.error = error;
        state.dueAt = null;
        execution.history(HistoryKind.COMPENSATION_ATTEMPT_FAILED, step.name(), state.undoAttempt, error);
        if (compensation(step).retry().exhausted(state.failures)) {
            stick(step, state, error);
        } else {
            state.retryAt = execution.now.plus(compensation(step).retry().delay(state.failures));
        }
    }

    void tainted(SagaStep<D> step, String why) {
        StepState state = execution.state(step);
        state.settle(StepStatus.TAINTED, execution.now);
        execution.history(HistoryKind.STEP_TAINTED, step.name(), state.undoAttempt, why);
    }

    private void stick(SagaStep<D> step, StepState state, String error) {
        state.dueAt = null;
        state.retryAt = null;
        state.stuck = true;
        state.error = error;
        execution.history(HistoryKind.STUCK, step.name(), state.undoAttempt, error);
        execution.notice(() -> execution.listener.stuck(execution.id(), saga.name(), step.name(), error));
    }
}

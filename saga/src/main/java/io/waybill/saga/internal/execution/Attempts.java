package io.waybill.saga.internal.execution;

import io.waybill.saga.Command;
import io.waybill.saga.ExternalCall;
import io.waybill.saga.RefusedException;
import io.waybill.saga.Reply;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;
import io.waybill.saga.StepStatus;
import io.waybill.saga.store.HistoryKind;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Begins the attempts of steps, and ends those that have timed out. */
final class Attempts<D> {
    private final Execution<D> execution;
    private final Saga<D> saga;
    private final SagaRules rules;
    private final StepOutcomes<D> outcomes;

    Attempts(Execution<D> execution, SagaRules rules, StepOutcomes<D> outcomes) {
        this.execution = execution;
        this.saga = execution.saga;
        this.rules = rules;
        this.outcomes = outcomes;
    }

    /** Begins every step whose predecessors are done. Returns whether any step began. */
    boolean beginReady() {
        boolean began = false;
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (state.status == StepStatus.PENDING
                    && step.after().stream()
                            .allMatch(before -> execution.state(before).status.satisfied())) {
                state.status = StepStatus.EXECUTING;
                state.startedAt = execution.now;
                state.retryAt = execution.now;
                attemptInline(step, state);
                began = true;
            }
        }
        return began;
    }

    /** Begins the next attempt, if the step needs no worker: it does no work of its own, or none but an append. */
    void attemptInline(SagaStep<D> step, StepState state) {
        StepAction<D> action = state.action(step);
        if (action instanceof StepAction.Local || action instanceof StepAction.External) {
            return; // a worker begins it, in a transaction of its own
        }
        attempted(step, state);
        try {
            if (action instanceof StepAction.Send<D> send) {
                send(send, step, state);
            } else if (action instanceof StepAction.Delay<D> delay) {
                Duration duration = delay.duration().apply(execution.data());
                state.dueAt = execution.now.plus(duration.isNegative() ? Duration.ZERO : duration);
            } else if (action instanceof StepAction.AwaitEvent<D>) {
                state.dueAt = deadline(step.timeout());
            } else if (action instanceof StepAction.Child<D, ?> child) {
                state.dueAt = deadline(step.timeout());
                startChild(child, step, state);
            } else if (action instanceof StepAction.Manual<D> manual) {
                outcomes.stick(step, state, manual.instructions());
            }
        } catch (RefusedException e) {
            outcomes.refused(step, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            outcomes.failed(step, "Cannot begin: " + e, false);
        }
        acceptEarly(step, state, action);
    }

    private void send(StepAction.Send<D> send, SagaStep<D> step, StepState state) {
        Command command = send.command().apply(execution.data());
        execution.send(command, state, CommandIds.forward(execution.id(), state), state.attempt, null);
        state.open = true; // also if what follows throws an exception
        if (send.replies().isEmpty()) {
            outcomes.succeeded(step, null);
        } else {
            state.dueAt = deadline(step.timeout());
        }
    }

    private <C> void startChild(StepAction.Child<D, C> child, SagaStep<D> step, StepState state) {
        execution
                .effects
                .children()
                .add(new Effects.ChildStart<>(
                        ChildIds.of(execution.id(), state),
                        child.saga(),
                        step.name(),
                        ChildIds.key(child.key().apply(execution.data()), state),
                        child.data().apply(execution.data()),
                        execution.headers()));
    }

    private void acceptEarly(SagaStep<D> step, StepState state, StepAction<D> action) {
        StoredEvent early = state.early;
        if (state.status == StepStatus.EXECUTING && early != null) {
            state.early = null;
            try {
                outcomes.accept(step, action, new Reply(early.event(), execution.json));
            } catch (
                    RuntimeException
                            e) { // the transaction also has the result of the step before, which must not be lost
                outcomes.failed(
                        step, "Cannot use the early event " + early.event().id() + ": " + e, false);
            }
        }
    }

    private void attempted(SagaStep<D> step, StepState state) {
        state.attempt++;
        state.retryAt = null;
        execution.history(HistoryKind.STEP_STARTED, step.name(), state.attempt, null);
        int attempt = state.attempt;
        execution.notice(() -> execution.listener.stepStarted(execution.id(), saga.name(), step.name(), attempt));
        D data = step.hooks().onEnter().isEmpty() ? null : execution.data();
        if (data != null) {
            step.hooks().onEnter().forEach(hook -> execution.notice(() -> hook.accept(data)));
        }
    }

    private @Nullable Instant deadline(@Nullable Duration timeout) {
        return timeout == null ? null : execution.now.plus(timeout);
    }

    /** Returns a step whose next attempt is work in this transaction, and counts the attempt. */
    @Nullable
    LocalRun<D> nextLocal() {
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (isDue(state) && state.action(step) instanceof StepAction.Local<?, D> local) {
                attempted(step, state);
                return new LocalRun<>(step, false, state.attempt, local);
            }
        }
        return null;
    }

    /** Begins one due external call: its attempt is recorded before it is made. Further ones begin in turns of their own. */
    void beginCalls() {
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (isDue(state) && state.action(step) instanceof StepAction.External<D> external) {
                attempted(step, state);
                state.open = true;
                Duration timeout = step.timeout();
                state.dueAt = execution.now.plus(timeout == null ? Duration.ofSeconds(30) : timeout);
                String key = rules.callKey(CommandIds.forward(execution.id(), state), state.attempt);
                execution
                        .effects
                        .calls()
                        .add(new Effects.Call<>(
                                step.name(),
                                false,
                                external.work(),
                                execution.data(),
                                execution.text(),
                                new ExternalCall(execution.id(), step.name(), key, state.attempt, null)));
                return;
            }
        }
    }

    private boolean isDue(StepState state) {
        return state.status == StepStatus.EXECUTING
                && !state.stuck
                && state.retryAt != null
                && !state.retryAt.isAfter(execution.now);
    }

    /** Begins due attempts and ends those that have timed out. */
    void timers() {
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (isDue(state)) {
                attemptInline(step, state);
            } else if (state.status == StepStatus.EXECUTING
                    && !state.stuck
                    && state.dueAt != null
                    && !state.dueAt.isAfter(execution.now)) {
                state.dueAt = null;
                timedOut(step, state);
            }
        }
    }

    private void timedOut(SagaStep<D> step, StepState state) {
        StepAction<D> action = state.action(step);
        if (action instanceof StepAction.Delay<D>) {
            outcomes.succeeded(step, null);
        } else if (action instanceof StepAction.Child<D, ?>) {
            outcomes.cancelChild(step, state, "The step of its parent timed out.");
            execution.history(
                    HistoryKind.ATTEMPT_FAILED, step.name(), state.attempt, "Timed out; the child is cancelled.");
        } else {
            outcomes.failed(step, "No result within " + step.timeout() + " (attempt " + state.attempt + ").", true);
        }
    }
}

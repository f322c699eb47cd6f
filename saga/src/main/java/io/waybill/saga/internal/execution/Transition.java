package io.waybill.saga.internal.execution;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.saga.RefusedException;
import io.waybill.saga.Reply;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaHeaders;
import io.waybill.saga.SagaJson;
import io.waybill.saga.SagaListener;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;
import io.waybill.saga.StepRole;
import io.waybill.saga.StepStatus;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One change of a saga. The caller holds the lock of the saga, passes in what happened, and then writes {@link #result} and carries
 * out {@link #effects}, all in one transaction.
 *
 * <p>The steps form a graph. {@link Attempts} begins each step when its predecessors are done. After the first failure before the
 * pivot, no further step begins; the steps in progress are drained, and {@link Compensation} undoes the steps that have or may have
 * had an effect. Each result of a step names its attempt or its command; one that does not fit the state of the step changes
 * nothing. Two results that arrive at the same time are therefore decided by the lock, and the second one is stale.
 */
public final class Transition<D> {
    private final Execution<D> execution;
    private final Attempts<D> attempts;
    private final StepOutcomes<D> outcomes;
    private final Compensation<D> compensation;
    private final SagaRules rules;
    private final Saga<D> saga;

    public Transition(
            Saga<D> saga, SagaJson json, SagaListener listener, SagaRules rules, SagaRecord stored, Instant now) {
        this.saga = saga;
        this.execution = new Execution<>(saga, json, listener, stored, now);
        this.outcomes = new StepOutcomes<>(execution);
        this.attempts = new Attempts<>(execution, rules, outcomes);
        this.compensation = new Compensation<>(execution, rules);
        this.rules = rules;
    }

    public Effects<D> effects() {
        return execution.effects;
    }

    public SagaRecord result() {
        return execution.toRecord();
    }

    public boolean dataChanged() {
        return execution.dataChanged();
    }

    public D data() {
        return execution.data();
    }

    /** The saga was just inserted. */
    public void start() {
        saga.deadline().ifPresent(deadline -> execution.deadlineAt = execution.now.plus(deadline));
        execution.history(HistoryKind.STARTED, null, 0, execution.businessKey());
        execution.notice(() -> execution.listener.started(execution.id(), saga.name(), execution.businessKey()));
        advance();
    }

    /** The definition continues a saga of an earlier version. */
    public void migrated(int from, String data) {
        execution.lostStep().ifPresent(lost -> {
            throw new WaybillException("Saga " + execution.id() + " has begun step " + lost + ", which " + saga
                    + " does not have. Add the step, or version " + from + " of the definition.");
        });
        execution.data(execution.json.read(data, saga.dataType()));
        execution.history(HistoryKind.MIGRATED, null, 0, "From version " + from + " to " + saga.version());
    }

    /** Begins due attempts, ends timed out ones, and checks grace and deadline. */
    public void timers() {
        if (execution.endedAt != null) {
            return;
        }
        if (execution.failure == null && execution.deadlineAt != null && !execution.deadlineAt.isAfter(execution.now)) {
            execution.deadlineAt = null;
            if (cancelProblem().isEmpty()) {
                execution.history(HistoryKind.CANCELLED, null, 0, "The deadline of the saga is over.");
                outcomes.fail(null, "The deadline of the saga is over.");
            }
        }
        if (isForward()) {
            attempts.timers();
        } else {
            compensation.timers();
        }
        advance();
    }

    public boolean hasEnded() {
        return execution.endedAt != null;
    }

    /** Whether the saga has something to do at once. */
    public boolean isDueAgain() {
        Instant wake = execution.wakeAt();
        return wake != null && !wake.isAfter(execution.now);
    }

    /** Returns local work that is due. The caller runs it in the same transaction and passes its result to {@link #ran}. */
    public Optional<LocalRun<D>> nextLocal() {
        return execution.endedAt != null
                ? Optional.empty()
                : Optional.ofNullable(isForward() ? attempts.nextLocal() : compensation.nextLocal());
    }

    public void ran(LocalRun<D> run, D data) {
        if (run.undo()) {
            compensation.undone(run.step(), data);
        } else {
            outcomes.succeeded(run.step(), data);
        }
        advance();
    }

    /** Records, in a new transaction, that local work threw an exception and was rolled back. */
    public void localFailed(String stepName, boolean undo, int attempt, Throwable cause) {
        SagaStep<D> step = step(stepName);
        StepState state = execution.state(step);
        boolean waiting = state.status == (undo ? StepStatus.COMPENSATING : StepStatus.EXECUTING)
                && !state.stuck
                && (undo ? state.undoAttempt : state.attempt) == attempt - 1;
        if (!waiting) {
            return; // another engine has run it meanwhile
        }
        if (undo) {
            state.undoAttempt = attempt;
            compensation.failed(step, text(cause));
        } else {
            state.attempt = attempt;
            execution.history(HistoryKind.STEP_STARTED, stepName, attempt, null);
            threw(step, cause, false);
        }
        advance();
    }

    private void threw(SagaStep<D> step, Throwable cause, boolean inDoubt) {
        if (cause instanceof RefusedException) {
            outcomes.refused(step, String.valueOf(cause.getMessage()));
        } else {
            outcomes.failed(step, text(cause), inDoubt);
        }
    }

    private static String text(Throwable cause) {
        String message = cause.getMessage();
        return cause.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }

    /** Begins the external calls that are due. */
    public void beginCalls() {
        if (execution.endedAt == null) {
            if (isForward()) {
                attempts.beginCalls();
            } else {
                compensation.beginCalls();
            }
        }
    }

    /**
     * Records the result of an external call.
     *
     * @param data null if the call failed
     */
    public void called(Effects.Call<D> call, @Nullable D data, @Nullable Throwable failure) {
        SagaStep<D> step = step(call.step());
        StepState state = execution.state(step);
        int attempt = call.call().attempt();
        StepStatus expected = call.undo() ? StepStatus.COMPENSATING : StepStatus.EXECUTING;
        int current = call.undo() ? state.undoAttempt : state.attempt;
        if (state.status != expected || !rules.isCurrent(attempt, current) || state.retryAt != null) {
            stale(call.step(), "The late result of call " + attempt);
            return;
        }
        D merged = data == null ? null : execution.merged(call.before(), data);
        if (call.undo()) {
            if (failure == null) {
                compensation.undone(step, merged);
            } else {
                compensation.failed(step, text(failure));
            }
        } else if (failure == null) {
            outcomes.succeeded(step, merged);
        } else {
            threw(step, failure, true);
        }
        advance();
    }

    /** An event arrived that names this saga, or that one of its steps awaits. */
    public void event(Event event) {
        String commandId = event.headers().get(SagaHeaders.COMMAND_ID);
        boolean matched = (commandId != null && reply(event, commandId)) || awaited(event);
        if (matched) {
            advance();
        } else {
            stale(event.headers().get(SagaHeaders.STEP), event.type() + " " + event.id());
            execution.notice(() -> execution.listener.staleReply(execution.id(), saga.name(), event.type()));
        }
    }

    private boolean reply(Event event, String commandId) {
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            UUID id = execution.id();
            StepAction<D> action = state.action(step);
            if (commandId.equals(CommandIds.forward(id, state).toString())
                    && answers(action, event)
                    && state.status == StepStatus.EXECUTING
                    && state.attempt > 0) {
                outcomes.accept(step, action, new Reply(event, execution.json));
                return true;
            }
            SagaStep.Compensation<D> undo = step.compensation();
            if (undo != null
                    && commandId.equals(CommandIds.compensation(id, step.name()).toString())
                    && answers(undo.action(), event)
                    && state.status == StepStatus.COMPENSATING
                    && state.undoAttempt > 0) {
                return compensation.accept(step, new Reply(event, execution.json));
            }
        }
        return false;
    }

    private boolean awaited(Event event) {
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            if (step.action() instanceof StepAction.AwaitEvent<D> await
                    && answers(await, event)
                    && execution.businessKey().equals(await.businessKey().apply(event))) {
                if (state.status == StepStatus.EXECUTING) {
                    outcomes.accept(step, await, new Reply(event, execution.json));
                    return true;
                }
                if (state.status == StepStatus.PENDING && state.early == null && isForward()) {
                    state.early = new StoredEvent(event);
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean answers(StepAction<?> action, Event event) {
        return action.replies().containsKey(event.type()) || action.refusals().contains(event.type());
    }

    private void stale(@Nullable String step, String what) {
        // The name comes from a header of a message, and may be anything.
        String known = step != null && saga.step(step).isPresent() ? step : null;
        execution.history(HistoryKind.STALE_REPLY, known, 0, what);
    }

    /** Applies a signal. A signal that does not fit the state of the saga changes nothing; the history says why. */
    public void signal(SagaSignal signal) {
        switch (signal.kind()) {
            case EVENT -> event(StateJson.readEvent(String.valueOf(signal.detail())));
            case CHILD_ENDED -> childEnded(signal);
            case CANCEL -> operator(signal, cancel(signal));
            default -> operator(signal, decide(signal));
        }
        advance();
    }

    private void childEnded(SagaSignal signal) {
        ObjectNode detail = StateJson.parse(String.valueOf(signal.detail()));
        SagaStep<D> step = saga.step(String.valueOf(signal.step())).orElse(null);
        boolean current = step != null
                && detail.path("child")
                        .asString()
                        .equals(ChildIds.of(execution.id(), execution.state(step))
                                .toString());
        if (step == null || !current) {
            stale(signal.step(), "A child ended: " + detail.path("status").asString());
            return;
        }
        outcomes.childEnded(
                step,
                execution.state(step),
                SagaStatus.valueOf(detail.path("status").asString()),
                detail.path("data").asString(),
                detail.path("error").asString());
    }

    /** Returns the detail of the signal with which a child tells its parent that it ended. */
    private String childEnd() {
        ObjectNode detail = StateJson.object();
        detail.put("child", execution.id().toString());
        detail.put("status", execution.status.name());
        detail.put("data", execution.json.write(execution.data()));
        detail.put("error", String.valueOf(execution.failure));
        return detail.toString();
    }

    /** Returns the same detail for a child that could not be started. */
    public static String childRefused(UUID child, String error) {
        ObjectNode detail = StateJson.object();
        detail.put("child", child.toString());
        detail.put("status", SagaStatus.ROLLED_BACK.name());
        detail.put("data", "{}");
        detail.put("error", error);
        return detail.toString();
    }

    private void operator(SagaSignal signal, String result) {
        execution.history(HistoryKind.OPERATOR, signal.step(), 0, OperatorEntry.text(signal, result));
    }

    private String cancel(SagaSignal signal) {
        Optional<String> problem = cancelProblem();
        if (problem.isPresent()) {
            return problem.get();
        }
        String why = "Cancelled by " + signal.actor() + ": " + signal.reason();
        execution.history(HistoryKind.CANCELLED, null, 0, why);
        outcomes.fail(null, why);
        return OperatorEntry.DONE;
    }

    /** Returns the reason why the saga cannot be cancelled; empty if it can. */
    private Optional<String> cancelProblem() {
        if (execution.endedAt != null) {
            return Optional.of("refused: the saga has ended as " + execution.status);
        }
        if (!isForward() || execution.failure != null) {
            return Optional.of("refused: the saga is being undone already");
        }
        return saga.pivot().flatMap(pivot -> {
            StepState state = execution.state(pivot);
            if (state.status.satisfied()) {
                return Optional.of("refused: the saga has reached its pivot " + pivot.name()
                        + ", and the pivot has succeeded, so the saga can only go forward");
            }
            boolean began = state.status == StepStatus.EXECUTING && state.attempt > 0;
            return began
                    ? Optional.of("refused: the saga has reached its pivot " + pivot.name()
                            + ", and its result is not known yet. If the pivot gets stuck, and its participant confirms that"
                            + " nothing happened, refuse the pivot")
                    : Optional.empty();
        });
    }

    private String decide(SagaSignal signal) {
        Optional<SagaStep<D>> found = saga.step(String.valueOf(signal.step()));
        if (found.isEmpty()) {
            return "refused: the saga has no step " + signal.step();
        }
        SagaStep<D> step = found.get();
        StepState state = execution.state(step);
        if (!state.stuck) {
            return "refused: step " + step.name() + " is " + state.status + " and does not wait for a person";
        }
        boolean undo = state.status == StepStatus.COMPENSATING;
        String why = signal.kind() + " by " + signal.actor() + ": " + signal.reason();
        D data = null;
        if (signal.kind() == SagaSignal.Kind.RESOLVE && signal.detail() != null) {
            try {
                data = execution.json.read(signal.detail(), saga.dataType());
            } catch (WaybillException e) {
                return "refused: " + e.getMessage();
            }
        }
        switch (signal.kind()) {
            case RETRY -> outcomes.retry(state, Duration.ZERO);
            case SKIP -> {
                if (undo) {
                    compensation.tainted(step, why);
                } else if (step.role() == StepRole.PIVOT) {
                    return "refused: the pivot cannot be skipped. Resolve it if it has succeeded; refuse it if it has failed";
                } else {
                    outcomes.skipped(step, why);
                    state.givenUp = true;
                }
            }
            case RESOLVE -> {
                if (undo) {
                    compensation.undone(step, data);
                } else {
                    outcomes.succeeded(step, data);
                }
            }
            case REFUSE -> {
                if (undo || execution.pivotReached()) {
                    return "refused: only a step before the pivot, or the pivot, can be refused";
                }
                state.stuck = false;
                outcomes.refused(step, why);
            }
            default -> throw new IllegalArgumentException("Not an action of an operator: " + signal.kind());
        }
        return OperatorEntry.DONE;
    }

    private SagaStep<D> step(String name) {
        return saga.step(name)
                .orElseThrow(() -> new WaybillException("There is no step '" + name + "' in " + saga + "."));
    }

    private boolean isForward() {
        return switch (execution.status) {
            case PENDING, EXECUTING, FORWARD_RECOVERY -> true;
            default -> false;
        };
    }

    private void advance() {
        if (execution.endedAt != null) {
            return;
        }
        if (isForward()) {
            advanceForward();
        }
        if (!isForward() && execution.endedAt == null) {
            compensation.advance();
        }
        if (execution.endedAt != null && execution.parentId() != null) {
            effects()
                    .postings()
                    .add(new Effects.Posting(
                            execution.parentId(),
                            SagaSignal.of(SagaSignal.Kind.CHILD_ENDED, execution.parentStep(), childEnd())));
        }
    }

    private void advanceForward() {
        boolean again = true;
        while (again) {
            again = execution.failure == null && attempts.beginReady();
        }
        if (execution.failure != null) {
            if (outcomes.drained()) {
                execution.status = SagaStatus.COMPENSATING;
                execution.graceEndsAt = null;
                execution.history(HistoryKind.COMPENSATING, execution.failedStep, 0, execution.failure);
            } else {
                execution.status = anyStuck() ? SagaStatus.FORWARD_RECOVERY : SagaStatus.EXECUTING;
            }
            return;
        }
        boolean all = true;
        boolean gaveUp = false;
        for (SagaStep<D> step : saga.steps()) {
            StepState state = execution.state(step);
            all &= state.status.satisfied();
            gaveUp |= state.givenUp;
        }
        if (all) {
            execution.end(gaveUp ? SagaStatus.PARTIALLY_COMMITTED : SagaStatus.COMPLETED);
        } else {
            execution.status = anyStuck() ? SagaStatus.FORWARD_RECOVERY : SagaStatus.EXECUTING;
        }
    }

    private boolean anyStuck() {
        return saga.steps().stream().anyMatch(step -> execution.state(step).stuck);
    }
}

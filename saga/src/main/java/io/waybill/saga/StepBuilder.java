package io.waybill.saga;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The settings of a step. Every step has a role: a compensation, {@link #pivot}, {@link #retriable} or {@link #readOnly}. */
public abstract class StepBuilder<D> {
    /** Three attempts, 1 and 2 seconds apart. */
    static final RetryPolicy DEFAULT_RETRY = new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(30));

    /** Ten attempts within about four minutes. */
    static final RetryPolicy DEFAULT_RETRIABLE = new RetryPolicy(10, Duration.ofSeconds(1), Duration.ofSeconds(60));

    private static final Duration DEFAULT_COMPENSATION_TIMEOUT = Duration.ofSeconds(30);

    private final SagaBuilder<D> saga;
    private final String name;
    private final List<String> after;
    private final List<Function<D, Event>> emits = new ArrayList<>();
    private final List<Function<D, Event>> emitsOnCompensation = new ArrayList<>();
    private final List<Consumer<D>> onEnter = new ArrayList<>();
    private final List<Consumer<D>> onSuccess = new ArrayList<>();
    private final List<BiConsumer<D, String>> onFailure = new ArrayList<>();
    private final List<Consumer<D>> onCompensatedHooks = new ArrayList<>();
    private final Map<String, StepAction.ReplyHandler<D>> compensationReplies = new LinkedHashMap<>();
    private final Set<String> compensationRefusals = new LinkedHashSet<>();
    private @Nullable StepRole role;
    private @Nullable Duration timeout;
    private @Nullable RetryPolicy retry;
    private @Nullable String noCompensation;
    private @Nullable StepAction<D> compensation;
    private CompensationKind compensationKind = CompensationKind.MECHANICAL;
    private Duration compensationTimeout = DEFAULT_COMPENSATION_TIMEOUT;
    private RetryPolicy compensationRetry = DEFAULT_RETRY;
    private @Nullable StepAction<D> alternative;
    private BiFunction<D, String, ForwardRecovery> recovery = (data, error) -> ForwardRecovery.MANUAL_INTERVENTION;

    StepBuilder(SagaBuilder<D> saga, String name, List<String> after) {
        this.saga = saga;
        this.name = name;
        this.after = new ArrayList<>(after);
    }

    abstract StepAction<D> action();

    /** The step begins when all of these steps are completed or skipped. */
    public StepBuilder<D> after(String... steps) {
        after.addAll(List.of(steps));
        return this;
    }

    /** The point of no return: after this step has succeeded, the saga only goes forward. */
    public StepBuilder<D> pivot() {
        return role(StepRole.PIVOT);
    }

    /** For steps after the pivot: the step is repeated until it succeeds, or until a recovery rule or a person decides. */
    public StepBuilder<D> retriable() {
        return role(StepRole.RETRIABLE);
    }

    /** The step has no effect that would have to be undone. */
    public StepBuilder<D> readOnly() {
        return role(StepRole.READ_ONLY);
    }

    /** The step has an effect that remains if the saga fails. */
    public StepBuilder<D> noCompensation(String why) {
        this.noCompensation = requireNonNull(why, "why");
        return role(StepRole.READ_ONLY);
    }

    private StepBuilder<D> role(StepRole chosen) {
        if (role != null && role != chosen) {
            throw new WaybillException("Step " + name + " of saga " + saga.name + " is " + role
                    + " already, so it cannot be " + chosen + ".");
        }
        this.role = chosen;
        return this;
    }

    /** The limit of one attempt: the time until the reply, the event or the result of an external call. */
    public StepBuilder<D> timeout(Duration limit) {
        this.timeout = positive("timeout", limit);
        return this;
    }

    /** The number of attempts (default 3, or 10 for a retriable step). */
    public StepBuilder<D> attempts(int attempts) {
        RetryPolicy now = retry == null ? DEFAULT_RETRY : retry;
        return retry(new RetryPolicy(attempts, now.firstDelay(), now.longestDelay()));
    }

    public StepBuilder<D> retry(RetryPolicy policy) {
        this.retry = requireNonNull(policy, "policy");
        return this;
    }

    /** Undoes the step by a command. Without {@link #onCompensated}, the step is undone when the command is in the outbox. */
    public StepBuilder<D> compensation(Function<D, Command> command) {
        return undo(new StepAction.Send<>(command, Map.of(), Set.of()));
    }

    /** The reply that confirms the compensation. */
    public StepBuilder<D> onCompensated(String eventType) {
        return onCompensated(eventType, (data, reply) -> data);
    }

    /** The reply that confirms the compensation; the handler returns the data for later compensations. */
    public StepBuilder<D> onCompensated(String eventType, StepAction.ReplyHandler<D> handler) {
        compensationReplies.put(eventType, handler);
        return this;
    }

    /** The reply that rejects the compensation. It counts as a failed attempt. */
    public StepBuilder<D> onCompensationRefused(String eventType) {
        compensationRefusals.add(eventType);
        return this;
    }

    public <T> StepBuilder<D> localCompensation(Class<T> transactionType, StepAction.LocalWork<T, D> work) {
        return undo(new StepAction.Local<>(requireNonNull(transactionType, "transactionType"), work));
    }

    public StepBuilder<D> localCompensation(UnaryOperator<D> work) {
        return undo(new StepAction.Local<Object, D>(null, (transaction, data) -> work.apply(data)));
    }

    public StepBuilder<D> externalCompensation(StepAction.ExternalWork<D> work) {
        return undo(new StepAction.External<>(work));
    }

    /** A person undoes the step, following the instructions, and then resolves it: {@code waybill sagas resolve}. */
    public StepBuilder<D> manualCompensation(String instructions) {
        this.compensationKind = CompensationKind.MANUAL;
        return undo(new StepAction.Manual<>(requireNonNull(instructions, "instructions")));
    }

    /** The compensation does not restore the former state but makes up for the step, as a refund does. */
    public StepBuilder<D> semantic() {
        this.compensationKind = CompensationKind.SEMANTIC;
        return this;
    }

    private StepBuilder<D> undo(StepAction<D> action) {
        this.compensation = action;
        return role(StepRole.COMPENSATABLE);
    }

    /** Limit of one attempt of the compensation (default 30 s). */
    public StepBuilder<D> compensationTimeout(Duration limit) {
        this.compensationTimeout = positive("compensation timeout", limit);
        return this;
    }

    /** Attempts of the compensation (default 3). */
    public StepBuilder<D> compensationRetry(RetryPolicy policy) {
        this.compensationRetry = requireNonNull(policy, "policy");
        return this;
    }

    /** For retriable steps: a command that is tried instead, if {@link #recovery} says so. Its replies are those of the step. */
    public StepBuilder<D> alternative(Function<D, Command> command) {
        this.alternative = new StepAction.Send<>(command, action().replies(), action().refusals());
        return this;
    }

    /** For retriable steps: local work that is tried instead, if {@link #recovery} says so. */
    public StepBuilder<D> localAlternative(UnaryOperator<D> work) {
        this.alternative = new StepAction.Local<Object, D>(null, (transaction, data) -> work.apply(data));
        return this;
    }

    /** Sets the rule, a function of data and error, that applies when a step after the pivot was refused or has used up its attempts. */
    public StepBuilder<D> recovery(BiFunction<D, String, ForwardRecovery> decision) {
        this.recovery = requireNonNull(decision, "decision");
        return this;
    }

    /** Appends an event to the outbox in the transaction that completes the step. */
    public StepBuilder<D> emits(Function<D, Event> event) {
        emits.add(requireNonNull(event, "event"));
        return this;
    }

    /** Appends an event to the outbox in the transaction that completes the compensation. */
    public StepBuilder<D> emitsOnCompensation(Function<D, Event> event) {
        emitsOnCompensation.add(requireNonNull(event, "event"));
        return this;
    }

    /** Called after an attempt has begun; see {@link StepHooks}. */
    public StepBuilder<D> onEnter(Consumer<D> hook) {
        onEnter.add(requireNonNull(hook, "hook"));
        return this;
    }

    /** Called after the step has succeeded; see {@link StepHooks}. */
    public StepBuilder<D> onSuccess(Consumer<D> hook) {
        onSuccess.add(requireNonNull(hook, "hook"));
        return this;
    }

    /** Called with data and error after the step has failed or is in doubt; see {@link StepHooks}. */
    public StepBuilder<D> onFailure(BiConsumer<D, String> hook) {
        onFailure.add(requireNonNull(hook, "hook"));
        return this;
    }

    /** Called after the step was undone; see {@link StepHooks}. */
    public StepBuilder<D> afterCompensation(Consumer<D> hook) {
        onCompensatedHooks.add(requireNonNull(hook, "hook"));
        return this;
    }

    /** Ends this step and adds another one, which begins at once unless its {@code after} names steps. */
    public StepStart<D> step(String next) {
        return finish().step(next);
    }

    /** Ends this step and adds another one, which begins after this one. */
    public StepStart<D> then(String next) {
        return finish().then(name, next);
    }

    public Saga<D> build() {
        return finish().build();
    }

    private SagaBuilder<D> finish() {
        StepRole known = role;
        if (known == null) {
            if (!saga.atomic) {
                throw new WaybillException(
                        "Step " + name + " of saga " + saga.name + " has no role. Give it a compensation, or"
                                + " call pivot(), retriable(), readOnly() or noCompensation(\"why\").");
            }
            known = StepRole.READ_ONLY; // the transaction undoes it
        }
        RetryPolicy policy = retry != null ? retry : known == StepRole.RETRIABLE ? DEFAULT_RETRIABLE : DEFAULT_RETRY;
        saga.steps.add(new SagaStep<>(
                name,
                after,
                known,
                action(),
                timeout,
                policy,
                undone(),
                noCompensation,
                alternative,
                recovery,
                emits,
                new StepHooks<>(onEnter, onSuccess, onFailure, onCompensatedHooks)));
        return saga;
    }

    private SagaStep.@Nullable Compensation<D> undone() {
        StepAction<D> action = compensation;
        boolean replies = !compensationReplies.isEmpty() || !compensationRefusals.isEmpty();
        if (action instanceof StepAction.Send<D> send) {
            action = new StepAction.Send<>(
                    send.command(), Map.copyOf(compensationReplies), Set.copyOf(compensationRefusals));
        } else if (replies) {
            throw new WaybillException("Step " + name + " of saga " + saga.name
                    + " awaits a reply to its compensation, but sends no" + " command. Add compensation(command).");
        }
        return action == null
                ? null
                : new SagaStep.Compensation<>(
                        action, compensationKind, compensationTimeout, compensationRetry, emitsOnCompensation);
    }

    private Duration positive(String what, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new WaybillException("The " + what + " of step " + name + " of saga " + saga.name
                    + " must be positive, not " + value + ".");
        }
        return value;
    }
}

package io.waybill.saga;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.WaybillException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Chooses the kind of a new step. */
public final class StepStart<D> {
    private final SagaBuilder<D> saga;
    private final String name;
    private final List<String> after;

    StepStart(SagaBuilder<D> saga, String name, List<String> after) {
        this.saga = saga;
        this.name = requireNonNull(name, "name");
        this.after = after;
    }

    /** Work of this service, in a transaction that the engine begins and commits together with the step's result. */
    public <T> StepBuilder<D> local(Class<T> transactionType, StepAction.LocalWork<T, D> work) {
        return builder(new StepAction.Local<>(requireNonNull(transactionType, "transactionType"), work));
    }

    /** Like {@link #local(Class, StepAction.LocalWork)}, for work that joins the transaction by itself, as with Spring. */
    public StepBuilder<D> local(UnaryOperator<D> work) {
        return builder(new StepAction.Local<Object, D>(null, (transaction, data) -> work.apply(data)));
    }

    /** Sends a command. Waits for a reply if {@code onReply} names an event type. */
    public CommandStepBuilder<D> command(Function<D, Command> command) {
        return new CommandStepBuilder<>(saga, name, after, requireNonNull(command, "command"));
    }

    /** Calls something outside of all transactions, such as another service's HTTP API. */
    public StepBuilder<D> external(StepAction.ExternalWork<D> work) {
        return builder(new StepAction.External<>(requireNonNull(work, "work"))).timeout(Duration.ofSeconds(30));
    }

    /**
     * Waits for an event that is not a reply to a command of this saga. If events arrive after the start of the saga and before the
     * step begins, the engine keeps the first one for the step.
     *
     * @param businessKey returns the business key of the saga that an event concerns
     */
    public AwaitStepBuilder<D> awaitEvent(Function<Event, String> businessKey) {
        return new AwaitStepBuilder<>(saga, name, after, requireNonNull(businessKey, "businessKey"));
    }

    /** Waits for this duration. */
    public StepBuilder<D> delay(Duration duration) {
        if (duration.isNegative()) {
            throw new WaybillException("The delay of step " + name + " must not be negative: " + duration + ".");
        }
        return delay(data -> duration);
    }

    /** Waits for a duration that depends on the data. */
    public StepBuilder<D> delay(Function<D, Duration> duration) {
        return builder(new StepAction.Delay<>(requireNonNull(duration, "duration")))
                .readOnly();
    }

    /**
     * Runs another saga. The step succeeds when the child has completed, and fails when the child was rolled back.
     *
     * @param key returns the business key of the child
     */
    public <C> StepBuilder<D> child(
            Saga<C> child, Function<D, String> key, Function<D, C> data, StepAction.ChildResult<D, C> result) {
        return builder(new StepAction.Child<>(child, key, data, result)).attempts(1);
    }

    private StepBuilder<D> builder(StepAction<D> action) {
        return new StepBuilder<>(saga, name, after) {
            @Override
            StepAction<D> action() {
                return action;
            }
        };
    }
}

package io.waybill.saga;

import io.waybill.Event;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a step, its alternative or its compensation does.
 *
 * @param <D> the data of the saga
 */
public sealed interface StepAction<D> {
    /** The name of the kind, for operators and pictures. */
    String kind();

    /** The types of the events that this action waits for, with the handler of each type. */
    default Map<String, ReplyHandler<D>> replies() {
        return Map.of();
    }

    /** The types of the events that mean that the action was refused and had no effect. */
    default Set<String> refusals() {
        return Set.of();
    }

    /** Returns the saga's data after a reply. */
    @FunctionalInterface
    interface ReplyHandler<D> {
        D apply(D data, Reply reply);
    }

    /** Work in a transaction of the engine, together with the record of its result. */
    @FunctionalInterface
    interface LocalWork<T, D> {
        /** @return the data for the next steps. An exception rolls the transaction back; see {@link RefusedException} */
        D run(T transaction, D data) throws Exception;
    }

    /** Work outside of all transactions. */
    @FunctionalInterface
    interface ExternalWork<D> {
        /** @return the data for the next steps */
        D run(D data, ExternalCall call) throws Exception;
    }

    /** @param transactionType null if the work does not use the transaction itself */
    record Local<T, D>(@Nullable Class<T> transactionType, LocalWork<T, D> work) implements StepAction<D> {
        @Override
        public String kind() {
            return "local";
        }
    }

    /** Without replies, the step has succeeded when the command is in the outbox. */
    record Send<D>(Function<D, Command> command, Map<String, ReplyHandler<D>> replies, Set<String> refusals)
            implements StepAction<D> {
        @Override
        public String kind() {
            return "command";
        }
    }

    record External<D>(ExternalWork<D> work) implements StepAction<D> {
        @Override
        public String kind() {
            return "external";
        }
    }

    /** @param businessKey finds the saga for an event that does not carry {@link SagaHeaders} */
    record AwaitEvent<D>(
            Function<Event, String> businessKey, Map<String, ReplyHandler<D>> replies, Set<String> refusals)
            implements StepAction<D> {
        @Override
        public String kind() {
            return "await";
        }
    }

    record Delay<D>(Function<D, Duration> duration) implements StepAction<D> {
        @Override
        public String kind() {
            return "delay";
        }
    }

    record Child<D, C>(Saga<C> saga, Function<D, String> key, Function<D, C> data, ChildResult<D, C> result)
            implements StepAction<D> {
        @Override
        public String kind() {
            return "child";
        }
    }

    /** Returns the parent's data after its child completed. */
    @FunctionalInterface
    interface ChildResult<D, C> {
        D apply(D data, C childData);
    }

    /** A person does it and then resolves the step. */
    record Manual<D>(String instructions) implements StepAction<D> {
        @Override
        public String kind() {
            return "manual";
        }
    }
}

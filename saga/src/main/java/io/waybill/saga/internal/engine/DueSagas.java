package io.waybill.saga.internal.engine;

import io.waybill.inbox.InboxTransactions;
import io.waybill.saga.Saga;
import io.waybill.saga.internal.execution.Effects;
import io.waybill.saga.internal.execution.LocalRun;
import io.waybill.saga.internal.execution.Transition;
import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works on one due saga: signals, timers, local steps and external calls.
 *
 * <p>Each turn is one transaction that locks the saga. A local step runs in it, so its effect, its result and its events commit
 * together. If it throws, the transaction is rolled back and another one records the failure. An external call is recorded as begun
 * in one transaction, made outside of all, and its result is recorded in another one, if the attempt is still the current one. When
 * a process crashes in between, the attempt times out and the call is repeated with the same idempotency key.
 */
public final class DueSagas<T> {
    private static final Logger LOG = LoggerFactory.getLogger("io.waybill.saga.Sagas");

    /** Other sagas get their turn after so many turns of one. */
    private static final int MOST_TURNS = 50;

    private static final Duration REST = Duration.ofSeconds(5);

    private final SagaStore<T> store;
    private final InboxTransactions<T> transactions;
    private final Definitions definitions;
    private final Writer<T> writer;
    private final Runnable flush;
    private final ClockWatch clock;

    /** @param flush called after the work of each local step, in its transaction */
    public DueSagas(
            SagaStore<T> store,
            InboxTransactions<T> transactions,
            Definitions definitions,
            Writer<T> writer,
            Runnable flush,
            Ticker ticker) {
        this.store = store;
        this.transactions = transactions;
        this.definitions = definitions;
        this.writer = writer;
        this.flush = flush;
        this.clock = new ClockWatch(() -> store.transaction("read the clock", store::now), ticker);
    }

    /** Returns the ids of due sagas. */
    public List<UUID> due(int limit) {
        if (clock.setBack()) {
            int woken = store.wakeAfterClockStep(REST);
            if (woken > 0) {
                LOG.warn("The clock of the database was set back. The timers of {} sagas are set back, too.", woken);
            }
        }
        return store.due(definitions.all(), limit);
    }

    /**
     * The result of a turn.
     *
     * @param more whether the saga is due again
     */
    private record Turn(
            boolean more,
            @Nullable Effects<?> effects,
            @Nullable Saga<?> saga) {
        static final Turn NONE = new Turn(false, null, null);

        boolean isNone() {
            return effects == null;
        }
    }

    /** Local work threw an exception. It rolls the transaction back. */
    private static final class LocalFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String step;
        private final boolean undo;
        private final int attempt;
        private final Throwable thrown;

        LocalFailure(String step, boolean undo, int attempt, Throwable thrown) {
            super(thrown.getMessage(), thrown, true, false);
            this.step = step;
            this.undo = undo;
            this.attempt = attempt;
            this.thrown = thrown;
        }
    }

    /**
     * Works on the saga until it is not due any more.
     *
     * @param beforeCall called before each external call. The saga is not locked during the call, so another thread may work on it
     *     then: on a call of a parallel step, or on the time-out of a call that hangs
     * @return whether there was anything to do
     */
    public boolean work(UUID id, Runnable beforeCall) {
        for (int turns = 0; turns < MOST_TURNS; turns++) {
            Turn turn;
            try {
                turn = turn(id);
            } catch (RuntimeException | Error e) {
                LOG.error("Saga {} cannot be advanced; next attempt in {} s", id, REST.toSeconds(), e);
                store.postpone(id, REST, String.valueOf(e));
                if (e instanceof Error error) {
                    throw error;
                }
                return true;
            }
            if (turn.isNone()) {
                return turns > 0;
            }
            Effects<?> effects = turn.effects();
            Saga<?> saga = turn.saga();
            if (effects != null && saga != null) {
                Writer.notify(effects);
                if (!effects.calls().isEmpty()) {
                    beforeCall.run();
                    calls(saga, effects);
                }
            }
            boolean called = effects != null && !effects.calls().isEmpty();
            if (!turn.more() && !called) {
                return true;
            }
        }
        return true;
    }

    private Turn turn(UUID id) {
        try {
            return transactions.transaction("advance saga " + id, transaction -> {
                Optional<LockedSaga> locked = store.lockDue(transaction, id);
                if (locked.isEmpty()) {
                    return Turn.NONE;
                }
                Optional<Saga<?>> saga = definitions.of(locked.get().saga());
                return saga.isEmpty() ? Turn.NONE : turn(transaction, saga.get(), locked.get());
            });
        } catch (LocalFailure failure) {
            return transactions.transaction("record a failure of saga " + id, transaction -> {
                LockedSaga locked = store.lock(transaction, id).orElse(null);
                Saga<?> saga =
                        locked == null ? null : definitions.of(locked.saga()).orElse(null);
                if (saga == null || locked == null) {
                    return Turn.NONE;
                }
                Transition<?> transition = writer.transition(saga, locked);
                transition.localFailed(failure.step, failure.undo, failure.attempt, failure.thrown);
                writer.write(transaction, transition, List.of());
                LOG.warn(
                        "{} of step {} of saga {} failed (attempt {}): {}",
                        failure.undo ? "The compensation" : "An attempt",
                        failure.step,
                        id,
                        failure.attempt,
                        String.valueOf(failure.thrown));
                return new Turn(true, transition.effects(), saga);
            });
        }
    }

    private <D> Turn turn(T transaction, Saga<D> saga, LockedSaga locked) {
        Transition<D> transition = writer.transition(saga, locked);
        for (SagaSignal signal : locked.signals()) {
            transition.signal(signal);
        }
        transition.timers();
        Optional<LocalRun<D>> local = transition.nextLocal();
        if (local.isPresent()) {
            LocalRun<D> run = local.get();
            try {
                D result = run.run(transaction, transition.data());
                flush.run();
                transition.ran(run, result);
            } catch (Throwable e) { // also errors: partial work must not be committed
                throw new LocalFailure(run.step().name(), run.undo(), run.attempt(), e);
            }
        }
        transition.beginCalls();
        writer.write(transaction, transition, locked.signals());
        return new Turn(transition.isDueAgain(), transition.effects(), saga);
    }

    @SuppressWarnings("unchecked")
    private <D> void calls(Saga<?> saga, Effects<?> effects) {
        for (Effects.Call<?> call : effects.calls()) {
            call((Saga<D>) saga, (Effects.Call<D>) call);
        }
    }

    private <D> void call(Saga<D> saga, Effects.Call<D> call) {
        D result = null;
        Throwable failure = null;
        try {
            result = call.work().run(call.data(), call.call());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return; // the attempt times out, and an engine repeats it
        } catch (Throwable e) {
            failure = e;
            LOG.warn(
                    "Call {} of step {} of saga {} failed: {}",
                    call.call().attempt(),
                    call.step(),
                    call.call().sagaId(),
                    String.valueOf(e));
        }
        record(saga, call, result, failure);
    }

    private <D> void record(Saga<D> saga, Effects.Call<D> call, @Nullable D data, @Nullable Throwable failure) {
        UUID id = call.call().sagaId();
        Effects<?> effects = transactions.transaction("record a call of saga " + id, transaction -> {
            LockedSaga locked = store.lock(transaction, id).orElse(null);
            if (locked == null || locked.saga().ended()) {
                return new Effects<>();
            }
            Transition<D> transition = writer.transition(saga, locked);
            try {
                transition.called(call, data, failure);
            } catch (RuntimeException e) { // the data is too large, or an event cannot be made of it
                transition = writer.transition(saga, locked);
                transition.called(call, null, e);
            }
            writer.write(transaction, transition, List.of());
            return transition.effects();
        });
        Writer.notify(effects);
    }
}

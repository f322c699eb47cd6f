package io.waybill.saga;

import static java.util.Objects.requireNonNull;

import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.inbox.InboxTransactions;
import io.waybill.saga.internal.execution.SagaRules;
import io.waybill.saga.store.SagaStore;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The definitions and settings of an engine. */
public final class SagasBuilder<T> {
    /** The default of {@link #retention}. */
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(30);

    final SagaStore<T> store;
    final Outbox<T> outbox;
    final List<Saga<?>> sagas = new ArrayList<>();
    InboxTransactions<T> transactions;
    Runnable flush = () -> {};
    SagaJson json = SagaJson.DEFAULT;
    SagaListener listener = SagaListener.NONE;
    SagaRules rules = SagaRules.RIGHT;
    Ticker ticker = Ticker.SYSTEM;
    int workers = 4;
    Duration longestPause = Duration.ofMillis(500);
    Duration retention = DEFAULT_RETENTION;

    SagasBuilder(SagaStore<T> store, Outbox<T> outbox) {
        this.store = store;
        this.outbox = outbox;
        this.transactions = store;
    }

    /** Adds a definition, and those of its child sagas. Add older versions, too, while their executions still run. */
    public SagasBuilder<T> add(Saga<?> saga) {
        sagas.add(requireNonNull(saga, "saga"));
        return this;
    }

    /** Runs steps in these transactions instead of the store's own. Each must be a new transaction of the store's database. */
    public SagasBuilder<T> transactions(InboxTransactions<T> transactions) {
        this.transactions = requireNonNull(transactions, "transactions");
        return this;
    }

    /**
     * Sets an action that writes pending changes of a persistence context. The engine calls it after the work of each local step of a
     * durable saga, in the step's transaction; an exception fails the step. Without it, a pending change that violates a constraint
     * fails at the commit. There the engine cannot distinguish a failure of the step from one of the database, so it retries forever.
     */
    public SagasBuilder<T> flushAfterLocalWork(Runnable flush) {
        this.flush = requireNonNull(flush, "flush");
        return this;
    }

    public SagasBuilder<T> json(SagaJson json) {
        this.json = requireNonNull(json, "json");
        return this;
    }

    public SagasBuilder<T> listener(SagaListener listener) {
        this.listener = requireNonNull(listener, "listener");
        return this;
    }

    /** The number of sagas that this engine works on at the same time (default 4). An external call occupies a worker. */
    public SagasBuilder<T> workers(int workers) {
        if (workers < 1) {
            throw new WaybillException("A saga engine needs 1 worker or more, not " + workers + ".");
        }
        this.workers = workers;
        return this;
    }

    /** The longest time between two polls of an idle engine (default 500 ms). */
    public SagasBuilder<T> longestPause(Duration pause) {
        this.longestPause = positive("longest pause", pause);
        return this;
    }

    /** How long ended sagas are kept (default 30 days). Until then, their business keys cannot be used again. */
    public SagasBuilder<T> retention(Duration age) {
        this.retention = positive("retention", age);
        return this;
    }

    /** Replaces the monotonic clock, for tests. Timers follow the clock of the database. */
    public SagasBuilder<T> ticker(Ticker ticker) {
        this.ticker = requireNonNull(ticker, "ticker");
        return this;
    }

    /** Replaces decisions of the engine with wrong ones. Not an API; for tests that prove that checkers find such bugs. */
    public SagasBuilder<T> rules(SagaRules rules) {
        this.rules = requireNonNull(rules, "rules");
        return this;
    }

    public Sagas<T> build() {
        if (sagas.isEmpty()) {
            throw new WaybillException("A saga engine needs a definition. Add one with add(saga).");
        }
        return new Sagas<>(this);
    }

    private static Duration positive(String what, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new WaybillException("The " + what + " of a saga engine must be positive, not " + value + ".");
        }
        return value;
    }
}

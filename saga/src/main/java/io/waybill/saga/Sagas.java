package io.waybill.saga;

import static java.util.Objects.requireNonNull;

import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.inbox.Handler;
import io.waybill.inbox.InboxBuilder;
import io.waybill.saga.admin.SagaOperations;
import io.waybill.saga.admin.SagaView;
import io.waybill.saga.internal.engine.Definitions;
import io.waybill.saga.internal.engine.DueSagas;
import io.waybill.saga.internal.engine.Replies;
import io.waybill.saga.internal.engine.SagaPoller;
import io.waybill.saga.internal.engine.Writer;
import io.waybill.saga.internal.execution.Results;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Starts sagas and runs them. Several engines, in one process or many, can share the sagas of a database. One engine at a time works
 * on a saga.
 *
 * <p>An engine receives the replies of participants through an {@link io.waybill.inbox.Inbox}, to which {@link #handleRepliesWith} adds
 * the handlers. Commands and events leave through the outbox.
 *
 * @param <T> the type of a transaction, such as a JDBC {@code Connection}
 */
public final class Sagas<T> implements AutoCloseable {
    private static final int DUE_AT_ONCE = 100;
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private final SagaStore<T> store;
    private final SagasBuilder<T> settings;
    private final Definitions definitions;
    private final Writer<T> writer;
    private final Replies<T> replies;
    private final DueSagas<T> due;
    private volatile @Nullable SagaPoller<T> poller;

    Sagas(SagasBuilder<T> settings) {
        this.settings = settings;
        this.store = settings.store;
        this.definitions = new Definitions(settings.sagas, store.transactionType());
        this.writer = new Writer<>(store, settings.outbox, settings.json, settings.listener, settings.rules);
        this.replies = new Replies<>(store, definitions, writer, this::hint);
        this.due = new DueSagas<>(store, settings.transactions, definitions, writer, settings.flush, settings.ticker);
    }

    public static <T> SagasBuilder<T> builder(SagaStore<T> store, Outbox<T> outbox) {
        return new SagasBuilder<>(requireNonNull(store, "store"), requireNonNull(outbox, "outbox"));
    }

    /**
     * Starts a saga in the caller's transaction, which also appends the first commands to the outbox. Local steps begin after the
     * commit.
     *
     * @param businessKey identifies the saga: a second start with the same definition name and key has no effect
     * @return the id of the new saga, or of the one that exists
     */
    public <D> UUID start(T transaction, Saga<D> saga, String businessKey, D data) {
        return start(transaction, saga, businessKey, data, Map.of());
    }

    /**
     * Starts a saga in the caller's transaction.
     *
     * @param headers the correlation id and the trace, see {@link io.waybill.Headers}; every event of the saga gets them
     */
    public <D> UUID start(T transaction, Saga<D> saga, String businessKey, D data, Map<String, String> headers) {
        requireNonNull(businessKey, "businessKey");
        requireNonNull(data, "data");
        requireKnown(saga);
        if (saga.isAtomic()) {
            throw new WaybillException("The " + saga + " is atomic. Run it with execute(…).");
        }
        UUID id = writer.start(transaction, saga, businessKey, data, headers);
        hint();
        return id;
    }

    /** Starts a saga in a transaction of its own. */
    public <D> UUID start(Saga<D> saga, String businessKey, D data) {
        return settings.transactions.transaction(
                "start saga " + saga.name(), transaction -> start(transaction, saga, businessKey, data));
    }

    /**
     * Runs an atomic saga: all steps and their events in one transaction. If a step fails, nothing is stored, and the result has the
     * state ROLLED_BACK and the error. A second call with the same business key runs nothing and returns the first one's result.
     */
    public <D> SagaResult<D> execute(Saga<D> saga, String businessKey, D data) {
        requireKnown(saga);
        if (!saga.isAtomic()) {
            throw new WaybillException(
                    "The " + saga + " is durable. Start it with start(…), or build it with atomic().");
        }
        try {
            SagaRecord ended = settings.transactions.transaction(
                    "execute saga " + saga.name(),
                    transaction -> writer.execute(transaction, saga, businessKey, data, Map.of()));
            return Results.of(saga, settings.json, ended);
        } catch (Writer.StepFailure e) {
            return Results.nothing(saga, businessKey, data, String.valueOf(e.getMessage()));
        }
    }

    private void requireKnown(Saga<?> saga) {
        if (!definitions.contains(saga)) {
            throw new WaybillException(
                    "This engine does not know " + saga + ". Add the definition when you build the engine.");
        }
    }

    /** Adds handlers for all events that the sagas wait for. The inbox must use the database of the sagas. */
    public InboxBuilder<T> handleRepliesWith(InboxBuilder<T> inbox) {
        eventTypes().forEach(type -> inbox.on(type, replies));
        return inbox;
    }

    /** The handler of all {@link #eventTypes}, for inboxes that are not built with {@link #handleRepliesWith}. */
    public Handler<T> replies() {
        return replies;
    }

    /** The types of the events that any saga waits for. */
    public Set<String> eventTypes() {
        return definitions.eventTypes();
    }

    /**
     * Stores the outlines of the definitions for operators. {@link #start()} calls it, too.
     *
     * @throws WaybillException if the steps of a definition have changed under the same version
     */
    public void register() {
        for (Saga<?> saga : definitions.sagas()) {
            SagaOutline outline = SagaOutline.of(saga);
            outline.requireSameShape(store.register(outline));
        }
    }

    /** Runs the engine in the background until {@link #close}. */
    public synchronized void start() {
        if (poller != null) {
            throw new WaybillException("The saga engine runs already.");
        }
        register();
        SagaPoller<T> started = new SagaPoller<>(
                due, settings.workers, settings.longestPause, settings.retention, store::prune, settings.ticker);
        poller = started;
        started.start();
    }

    /** Whether the engine runs in the background. */
    public boolean isRunning() {
        SagaPoller<T> running = poller;
        return running != null && running.isRunning();
    }

    /** Whether the engine runs in the background and reaches the database. */
    public boolean isServing() {
        SagaPoller<T> running = poller;
        return running != null && running.isRunning() && !running.hasOutage();
    }

    /** Works on the sagas that are due now, and returns their number. For cron jobs and tests. */
    public int runOnce() {
        int worked = 0;
        for (UUID id : due.due(DUE_AT_ONCE)) {
            if (due.work(id, () -> {})) {
                worked++;
            }
        }
        return worked;
    }

    /** Notifies the engine that a saga may be due, for example after the commit of a transaction that has started one. */
    public void hint() {
        SagaPoller<T> running = poller;
        if (running != null) {
            running.hint();
        }
    }

    public Optional<SagaRecord> find(UUID id) {
        return view().find(id);
    }

    /** Returns the current result of a saga; empty if there is no saga with this business key. */
    public <D> Optional<SagaResult<D>> result(Saga<D> saga, String businessKey) {
        return view().find(saga.name(), businessKey).map(stored -> Results.of(saga, settings.json, stored));
    }

    public SagaView view() {
        return store.view();
    }

    public SagaOperations operations() {
        return store.operations();
    }

    public List<Saga<?>> definitions() {
        return List.copyOf(definitions.sagas());
    }

    /** Stops the engine. Work in progress ends first, up to ten seconds. A stopped engine can be started again. */
    @Override
    public synchronized void close() {
        SagaPoller<T> running = poller;
        if (running != null) {
            running.stop(STOP_LIMIT);
            poller = null;
        }
    }
}

package io.waybill.relay;

import io.waybill.WaybillException;
import io.waybill.internal.LogText;
import io.waybill.store.OutboxStore;
import io.waybill.transport.Transport;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves events from a store to a transport: each event at least once, in order per key. Any number of relays can run in parallel.
 *
 * <p>A relay has three kinds of threads. The coordinator renews leases and decides which lanes the relay owns; it never publishes,
 * so a slow broker cannot make a lease expire. The poller asks the store which idle lanes have events. Each worker serves one lane,
 * or all lanes that have few events together. It settles the last batch and claims the next one in one transaction, publishes the
 * batch, waits for the acknowledgements, and starts over.
 *
 * <p>If a relay crashes, other relays acquire its lanes when the leases expire. If it is closed, it releases them at once.
 */
public final class Relay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private final RelaySettings settings;
    private final OutboxStore store;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final PublishCounter counter;
    private final CircuitBreaker breaker;
    private final LaneCoordinator coordinator;
    private final PauseWatch pauses;
    private final LaneRunner runner;
    private final CompletableFuture<WaybillException> ended = new CompletableFuture<>();
    private final AtomicBoolean ending = new AtomicBoolean();

    /** Allocated in advance: when it is needed, there may be no memory left. */
    private final WaybillException outOfMemory =
            new WaybillException("The relay ran out of memory. Increase the heap, or lower relay.claim-bytes.");

    private @Nullable ExecutorService workers;
    private @Nullable ExecutorService pollerThread;
    private volatile @Nullable Poller poller;
    private @Nullable RetentionPruner pruner;

    Relay(OutboxStore store, Transport transport, RelaySettings given) {
        this.settings = given.with(new SafeListener(given.listener()), new GuardedTicker(given.ticker(), this::failed));
        this.store = store;
        this.counter = new PublishCounter(settings.listener(), settings.ticker());
        this.breaker = new CircuitBreaker(transport, settings.listener(), settings.ticker());
        this.coordinator = new LaneCoordinator(store, settings, counter);
        this.pauses = new PauseWatch(store, settings, coordinator);
        coordinator.setServing(() -> breaker.isServing(settings.lease()) && !pauses.relayIsPaused());
        this.runner = new LaneRunner(store, transport, settings, counter, breaker, coordinator, pauses, this::stopping);
    }

    public static RelayBuilder builder(OutboxStore store, Transport transport) {
        return new RelayBuilder(store, transport);
    }

    /** The unique name of this relay in the roster: the configured name and a random suffix. */
    public String name() {
        return settings.name();
    }

    /** Starts publishing on background threads and returns. Failures of the database or the broker are logged and retried. */
    public synchronized void start() {
        if (stopping.get() || pollerThread != null) {
            throw new IllegalStateException("Relay " + name() + " was already started. Build a new one.");
        }
        workers = settings.ticker().threads("waybill-worker", settings.workers());
        poller = new Poller(store, settings, coordinator, runner, breaker, pauses, workers, this::stopping);
        coordinator.onNewLanes(() -> {
            pauses.lanesAcquired();
            hint();
        });
        pauses.onChange(this::hint);
        coordinator.onReplaced(this::end);
        breaker.onBrokerAnswers(coordinator::heartbeatNow);
        Threads.start(settings.ticker(), "waybill-probe", breaker::start);
        pauses.start();
        pollerThread = Threads.start(settings.ticker(), "waybill-poller", poller);
        pruner = new RetentionPruner(store, settings);
        coordinator.start();
        pruner.start();
        LOG.info("Relay {} started", name());
    }

    /**
     * Publishes all pending events of the lanes that no other relay owns, releases the lanes and returns. Intended for cron jobs.
     * Returns early if the broker is down or {@link #close} is called.
     *
     * @return the number of published events
     */
    public synchronized long runOnce() {
        if (stopping.get() || pollerThread != null) {
            throw new IllegalStateException("Relay " + name() + " is already running or closed. Build a new one.");
        }
        long before = counter.published();
        breaker.start();
        coordinator.heartbeat();
        coordinator.start();
        pauses.lanesAcquired();
        try {
            pauses.refresh();
            pauses.start();
            for (Lane lane : List.copyOf(coordinator.lanes())) {
                if (!stopping.get() && !breaker.isOpen() && !pauses.stopsRelay() && lane.begin()) {
                    try {
                        runner.runUntilEmpty(lane);
                    } finally {
                        coordinator.finished(lane);
                    }
                }
            }
        } finally {
            pauses.stop();
            coordinator.stop();
        }
        return counter.published() - before;
    }

    /** Completes with the reason if a failure stopped the relay and it must be restarted. {@link #close} does not complete it. */
    public CompletionStage<WaybillException> ended() {
        return ended;
    }

    /** Whether the relay was started and has neither been closed nor stopped by a failure. */
    public boolean isRunning() {
        return poller != null && !stopping();
    }

    private boolean stopping() {
        return stopping.get() || ending.get();
    }

    /**
     * A thread of this relay ended with an exception or an error. No other thread takes over its work, so the relay must not keep
     * its lanes. Memory may be exhausted: the leases expire even if the rest of this method fails.
     */
    private void failed(Throwable cause) {
        coordinator.abandon();
        try {
            end(new WaybillException(
                    "Thread " + Thread.currentThread().getName() + " ended with " + cause + ". Restart the relay.",
                    cause));
        } catch (OutOfMemoryError e) {
            ending.set(true);
            ended.complete(outOfMemory);
        }
    }

    /** Runs {@link #close} on a separate thread, because it waits for the others. If no thread can be created, the leases expire. */
    private void end(WaybillException reason) {
        if (stopping.get() || !ending.compareAndSet(false, true)) {
            return;
        }
        LOG.error("Relay {} stops: {}", name(), LogText.oneLine(reason.getMessage()), reason.getCause());
        try {
            Threads.start(settings.ticker(), "waybill-end", () -> {
                try {
                    close();
                } finally {
                    ended.complete(reason);
                }
            });
        } catch (Error noThread) {
            ended.complete(reason);
        }
    }

    /** Polls now instead of after the current pause, because an event was committed. Cheap; any thread may call it. */
    public void hint() {
        Poller current = poller;
        if (current != null) {
            current.hint();
        }
    }

    /**
     * Stops sending, settles the events in flight, releases the lanes and ends the threads. The store and the transport stay open.
     * Events that cannot be settled within the stop limit are published again by the next owner of their lane.
     */
    @Override
    public void close() {
        if (!stopping.compareAndSet(false, true)) {
            return;
        }
        synchronized (this) {
            ExecutorService polling = pollerThread;
            if (polling == null) {
                return;
            }
            hint();
            Threads.join(polling, settings.stopLimit());
            ExecutorService pool = workers;
            if (pool != null) {
                pool.shutdown();
                await(pool);
            }
            if (pruner != null) {
                pruner.stop();
            }
            pauses.stop();
            coordinator.stop();
            LOG.info("Relay {} stopped after {} events", name(), counter.published());
        }
    }

    private void await(ExecutorService pool) {
        if (!Threads.join(pool, settings.stopLimit())) {
            LOG.warn(
                    "Relay {} stopped waiting for its workers after {}; their unsettled events will be published again",
                    name(),
                    settings.stopLimit());
            pool.shutdownNow();
        }
    }
}

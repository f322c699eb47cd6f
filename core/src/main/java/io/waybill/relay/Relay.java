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
 * Moves events from a store to a transport: each at least once, in order per key, with any number of relays side by side.
 *
 * <p>Three kinds of threads share the work. The keeper renews leases and decides which lanes are ours; it never publishes,
 * so a slow broker cannot cost a lease. The poller asks the store which of our idle lanes have work. Workers run one lane
 * each, or all lanes that have few events together: settle the last batch and claim the next in one transaction, publish, wait
 * for the acknowledgements, again.
 *
 * <p>A relay that dies leaves its lanes to the others when its leases run out. A relay that is closed hands them over at once.
 */
public final class Relay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private final RelaySettings settings;
    private final OutboxStore store;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final PublishCounter progress;
    private final CircuitBreaker breaker;
    private final LaneKeeper keeper;
    private final LaneRunner runner;
    private final CompletableFuture<WaybillException> ended = new CompletableFuture<>();
    private final AtomicBoolean ending = new AtomicBoolean();

    /** Made before it is needed: when it is, there may be no memory. */
    private final WaybillException outOfMemory =
            new WaybillException("The relay ended for lack of memory. Give it more, or set relay.claim-bytes.");

    private @Nullable ExecutorService workers;
    private @Nullable ExecutorService pollerThread;
    private volatile @Nullable Poller poller;
    private @Nullable RetentionPruner janitor;

    Relay(OutboxStore store, Transport transport, RelaySettings given) {
        this.settings = given.with(new SafeListener(given.listener()), new GuardedTicker(given.ticker(), this::failed));
        this.store = store;
        this.progress = new PublishCounter(settings.listener(), settings.ticker());
        this.breaker = new CircuitBreaker(transport, settings.listener(), settings.ticker());
        this.keeper = new LaneKeeper(store, settings, progress);
        keeper.serveWhile(() -> breaker.serves(settings.lease()));
        this.runner = new LaneRunner(store, transport, settings, progress, breaker, keeper, this::stopping);
    }

    public static RelayBuilder builder(OutboxStore store, Transport transport) {
        return new RelayBuilder(store, transport);
    }

    /** The name on the roll: unique, the one it was built with and a random part. */
    public String name() {
        return settings.name();
    }

    /** Begins to publish on its own threads and returns; problems of database or broker are waited out and logged. */
    public synchronized void start() {
        if (stopping.get() || pollerThread != null) {
            throw new IllegalStateException("Relay " + name() + " was started before. Build a new one.");
        }
        workers = settings.ticker().threads("waybill-worker", settings.workers());
        poller = new Poller(store, settings, keeper, runner, breaker, workers, this::stopping);
        keeper.onNewLanes(poller::hint);
        keeper.onReplaced(this::end);
        breaker.onServing(keeper::hint);
        Threads.start(settings.ticker(), "waybill-probe", breaker::begin);
        pollerThread = Threads.start(settings.ticker(), "waybill-poller", poller);
        janitor = new RetentionPruner(store, settings);
        keeper.start();
        janitor.start();
        LOG.info("Relay {} started", name());
    }

    /**
     * Publishes everything that is pending in the lanes that no other relay owns, then gives them up: for a cron job.
     * Returns early when the broker is down or {@link #close} is called.
     *
     * @return how many events were published
     */
    public synchronized long runOnce() {
        if (stopping.get() || pollerThread != null) {
            throw new IllegalStateException("Relay " + name() + " runs already or is closed. Build a new one.");
        }
        long before = progress.published();
        breaker.begin();
        keeper.beat();
        keeper.start();
        try {
            for (Lane lane : List.copyOf(keeper.lanes())) {
                if (!stopping.get() && !breaker.isOpen() && lane.begin()) {
                    try {
                        runner.runUntilEmpty(lane);
                    } finally {
                        keeper.finished(lane);
                    }
                }
            }
        } finally {
            keeper.stop();
        }
        return progress.published() - before;
    }

    /** Completes when the relay had to end by itself, with the reason: a restart is needed. Never after a {@link #close}. */
    public CompletionStage<WaybillException> ended() {
        return ended;
    }

    /** Whether it was started, and neither closed nor ended by itself since. */
    public boolean isRunning() {
        return poller != null && !stopping();
    }

    private boolean stopping() {
        return stopping.get() || ending.get();
    }

    /**
     * A thread of this relay ends with an exception or an error, and its work is done by no other one. A relay without it must not
     * keep its lanes. It may be a lack of memory: the leases expire even if nothing else below succeeds.
     */
    private void failed(Throwable cause) {
        keeper.abandon();
        try {
            end(new WaybillException(
                    "Thread " + Thread.currentThread().getName() + " ended with " + cause + ". Restart the relay.",
                    cause));
        } catch (OutOfMemoryError e) {
            ending.set(true);
            ended.complete(outOfMemory);
        }
    }

    /** On a thread of its own, since {@link #close} waits for the others; on the current one if there can be none. */
    private void end(WaybillException reason) {
        if (stopping.get() || !ending.compareAndSet(false, true)) {
            return;
        }
        LOG.error("Relay {} ends: {}", name(), LogText.oneLine(reason.getMessage()), reason.getCause());
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

    /** Something was committed: look now instead of at the next poll. Cheap, from any thread. */
    public void hint() {
        Poller current = poller;
        if (current != null) {
            current.hint();
        }
    }

    /**
     * Stops sending, settles what is in flight, hands the lanes over and ends. The store and the transport stay open. What
     * cannot be settled within the stop limit is taken over by another relay when it sees the lane free.
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
            if (janitor != null) {
                janitor.stop();
            }
            keeper.stop();
            LOG.info("Relay {} stopped after {} events", name(), progress.published());
        }
    }

    private void await(ExecutorService pool) {
        if (!Threads.join(pool, settings.stopLimit())) {
            LOG.warn(
                    "Relay {} gave up waiting for its workers after {}; what they hold will be published again",
                    name(),
                    settings.stopLimit());
            pool.shutdownNow();
        }
    }
}

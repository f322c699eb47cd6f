package io.waybill.saga.internal.engine;

import io.waybill.internal.DaemonThreads;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds due sagas and hands them to workers. Polls often after it has found work or got a hint, and ever less often while idle.
 *
 * <p>Several engines may find the same saga; its lock lets one of them work on it.
 */
public final class SagaPoller<T> {
    private static final Logger LOG = LoggerFactory.getLogger("io.waybill.saga.Sagas");
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);
    private static final Duration LOCKED_PAUSE = Duration.ofMillis(20);

    private final DueSagas<T> sagas;
    private final int workers;
    private final Duration longestPause;
    private final Duration pruneAfter;
    private final Pruning pruning;
    private final Ticker ticker;
    private final Semaphore hints = new Semaphore(0);
    private final Semaphore free;
    private final Set<UUID> inWork = ConcurrentHashMap.newKeySet();

    /** Sagas that another engine has locked, with the time until which this engine leaves them alone. */
    private final Map<UUID, Long> lockedUntil = new ConcurrentHashMap<>();

    private final ExecutorService threads;
    private final Thread poller;
    private volatile boolean running = true;
    private volatile boolean outage;

    /** Removes ended sagas. */
    @FunctionalInterface
    public interface Pruning {
        /** @return the number of removed sagas */
        int prune(Duration age, int limit);
    }

    public SagaPoller(
            DueSagas<T> sagas,
            int workers,
            Duration longestPause,
            Duration pruneAfter,
            Pruning pruning,
            Ticker ticker) {
        this.sagas = sagas;
        this.workers = workers;
        this.longestPause = longestPause;
        this.pruneAfter = pruneAfter;
        this.pruning = pruning;
        this.ticker = ticker;
        this.free = new Semaphore(workers);
        this.threads = ticker.threads("waybill-saga", workers);
        this.poller = DaemonThreads.create("waybill-saga-poller", this::poll);
    }

    public void start() {
        poller.start();
    }

    /** A saga may be due. */
    public void hint() {
        if (hints.availablePermits() < 2) {
            hints.release();
        }
    }

    public boolean isRunning() {
        return running && poller.isAlive();
    }

    /** Whether the last poll failed. */
    public boolean hasOutage() {
        return outage;
    }

    /** Lets work in progress end, up to the limit. What is not done then is done by another engine, or after the next start. */
    public void stop(Duration limit) {
        running = false;
        hints.release();
        threads.shutdown();
        try {
            poller.join(limit.toMillis());
            if (!threads.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            threads.shutdownNow();
        }
    }

    private void poll() {
        Duration pause = SHORTEST_PAUSE;
        long pruneAt = ticker.nanos();
        try {
            while (running) {
                boolean found = false;
                try {
                    found = pollOnce();
                    if (ticker.nanos() - pruneAt >= 0) {
                        pruneAt = ticker.nanos() + TimeUnit.MINUTES.toNanos(1);
                        pruning.prune(pruneAfter, 1_000);
                    }
                    if (outage) {
                        outage = false;
                        LOG.info("Sagas are advanced again");
                    }
                } catch (RuntimeException e) {
                    if (!outage) {
                        LOG.warn(
                                "Sagas cannot be advanced; retrying every {} ms: {}",
                                longestPause.toMillis(),
                                e.toString());
                    }
                    outage = true;
                    pause = longestPause;
                }
                pause = found ? SHORTEST_PAUSE : longer(pause);
                if (!found && ticker.acquire(hints, pause)) {
                    hints.drainPermits();
                    pause = SHORTEST_PAUSE;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            LOG.error("The saga engine has stopped. Restart the process.", e);
        } finally {
            running = false;
        }
    }

    private Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(longestPause) > 0 ? longestPause : twice;
    }

    private boolean pollOnce() throws InterruptedException {
        List<UUID> due = sagas.due(workers * 8);
        boolean found = false;
        lockedUntil.values().removeIf(until -> ticker.nanos() - until >= 0);
        for (UUID id : due) {
            if (!lockedUntil.containsKey(id) && inWork.add(id)) {
                found = true;
                free.acquire();
                submit(id);
            }
        }
        return found;
    }

    private void submit(UUID id) {
        try {
            threads.execute(() -> {
                try {
                    if (!sagas.work(id, () -> inWork.remove(id))) {
                        lockedUntil.put(id, ticker.nanos() + LOCKED_PAUSE.toNanos());
                    }
                } catch (RuntimeException e) {
                    LOG.warn("Saga {} cannot be advanced now: {}", id, e.toString());
                } catch (Throwable e) { // an error ends the engine visibly; other engines take the sagas over
                    LOG.error("The saga engine stops after an error in saga {}", id, e);
                    running = false;
                } finally {
                    inWork.remove(id);
                    free.release();
                    hint();
                }
            });
        } catch (java.util.concurrent.RejectedExecutionException e) {
            inWork.remove(id); // the engine is stopping
            free.release();
        }
    }
}

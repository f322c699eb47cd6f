package io.waybill.inbox.internal.handling;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.OutageException;
import io.waybill.internal.LogText;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies due events and removes old marks in small chunks, on a background thread. */
public final class BackgroundTasks implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final Duration BETWEEN_PRUNES = Duration.ofSeconds(30);
    private static final int CHUNK = 1_000;

    private final String group;
    private final Ticker ticker;
    private final IntSupplier runDue;
    private final IntUnaryOperator prune;
    private final Semaphore wake = new Semaphore(0);
    private volatile @Nullable ExecutorService executor;
    private volatile @Nullable Thread thread;
    private volatile boolean stopping;
    private volatile boolean failed;
    private boolean failureLogged;

    /**
     * @param runDue handles the due events and returns their number
     * @param prune removes at most the given number of marks and returns how many it removed
     */
    public BackgroundTasks(String group, Ticker ticker, IntSupplier runDue, IntUnaryOperator prune) {
        this.group = group;
        this.ticker = ticker;
        this.runDue = runDue;
        this.prune = prune;
    }

    public synchronized void start() {
        if (executor != null || stopping) {
            return;
        }
        ExecutorService background = ticker.threads("waybill-inbox-" + group, 1);
        executor = background;
        background.execute(this);
        background.shutdown(); // its thread ends with the task
    }

    public boolean isRunning() {
        ExecutorService running = executor;
        return running != null && !running.isTerminated() && !failed && !stopping;
    }

    public boolean hasFailed() {
        return failed;
    }

    public boolean stopping() {
        return stopping;
    }

    public synchronized void stop() {
        stopping = true;
        wake.release();
        ExecutorService background = executor;
        if (background != null && thread != Thread.currentThread()) {
            try {
                boolean unused = background.awaitTermination(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try {
            work();
        } catch (Throwable e) { // an error would end the thread and all retries without a log message
            failed = true;
            LOG.error(
                    "The background thread of group {} has failed, and its consumer stops. Start a new consumer, or restart the process.",
                    group,
                    e);
        }
    }

    private void work() {
        Duration pause = SHORTEST_PAUSE;
        long pruneAt = ticker.nanos();
        try {
            while (!stopping) {
                ticker.acquire(wake, pause);
                if (stopping) {
                    return;
                }
                try {
                    pause = runDue.getAsInt() > 0 ? SHORTEST_PAUSE : longer(pause);
                    if (ticker.nanos() - pruneAt >= 0) {
                        boolean more = prune.applyAsInt(CHUNK) == CHUNK;
                        pruneAt = ticker.nanos() + (more ? 0 : BETWEEN_PRUNES.toNanos());
                    }
                    failureLogged = false;
                } catch (OutageException e) {
                    pause = SHORTEST_PAUSE; // the circuit breaker has logged the outage and decides when to retry
                } catch (RuntimeException e) {
                    pause = LONGEST_PAUSE;
                    if (!failureLogged) {
                        failureLogged = true;
                        LOG.warn(
                                "Group {} cannot look for due events: {} Retrying.",
                                group,
                                LogText.oneLine(e.getMessage()));
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Duration longer(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
}

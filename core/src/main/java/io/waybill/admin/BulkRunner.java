package io.waybill.admin;

import io.waybill.internal.LogText;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes confirmed bulk operations on a thread, step by step. Any number of runners can work on one outbox; one of them at a time works
 * on an operation. If a runner crashes, another one continues with the next step when the lease has expired.
 */
public final class BulkRunner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BulkRunner.class);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration IDLE = Duration.ofSeconds(1);

    private final BulkOperations operations;
    private final String name;
    private final Ticker ticker;
    private final Semaphore wake = new Semaphore(0);
    private @Nullable ExecutorService thread;
    private volatile boolean stopped;

    /** The reason of the last failed step, which is logged once; empty after a step that succeeded. */
    private String problem = "";

    /** @param name unique among all runners */
    public BulkRunner(BulkOperations operations, String name, Ticker ticker) {
        this.operations = operations;
        this.name = name;
        this.ticker = ticker;
    }

    public synchronized void start() {
        if (thread != null) {
            throw new IllegalStateException("Runner " + name + " was already started.");
        }
        ExecutorService started = ticker.threads("waybill-bulk", 1);
        thread = started;
        started.execute(this::run);
    }

    private void run() {
        try {
            while (!stopped) {
                if (!step() && ticker.acquire(wake, IDLE)) {
                    wake.drainPermits();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether another step may follow at once */
    private boolean step() {
        try {
            boolean found = operations.step(name, LEASE).isPresent();
            if (!problem.isEmpty()) {
                LOG.info("Runner {} executes bulk operations again.", name);
                problem = "";
            }
            return found;
        } catch (RuntimeException e) {
            String reason = LogText.oneLine(String.valueOf(e.getMessage()));
            if (!reason.equals(problem)) {
                LOG.warn("Runner {} cannot execute a bulk operation: {} Retrying every second.", name, reason);
                problem = reason;
            }
            return false;
        }
    }

    /** Ends after the current step. Does not wait for it. */
    @Override
    public synchronized void close() {
        stopped = true;
        wake.release();
        if (thread != null) {
            thread.shutdown();
        }
    }
}

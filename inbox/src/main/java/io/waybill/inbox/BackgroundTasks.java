package io.waybill.inbox;

import io.waybill.internal.LogText;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies due events and removes old marks in small chunks, on a background thread. */
final class BackgroundTasks implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final long SHORTEST_PAUSE = 50;
    private static final long LONGEST_PAUSE = 500;
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final Duration BETWEEN_PRUNES = Duration.ofSeconds(30);
    private static final int CHUNK = 1_000;

    private final Inbox<?> inbox;
    private final String group;
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private volatile boolean failed;
    private boolean failureLogged;

    BackgroundTasks(Inbox<?> inbox, String group) {
        this.inbox = inbox;
        this.group = group;
    }

    synchronized void start() {
        if (thread != null || stopping()) {
            return;
        }
        Thread background = new Thread(this, "waybill-inbox-" + group);
        background.setDaemon(true);
        thread = background;
        background.start();
    }

    boolean isRunning() {
        Thread running = thread;
        return running != null && running.isAlive() && !failed && !stopping();
    }

    boolean hasFailed() {
        return failed;
    }

    boolean stopping() {
        return stop.getCount() == 0;
    }

    synchronized void stop() {
        stop.countDown();
        Thread background = thread;
        if (background != null && background != Thread.currentThread()) {
            try {
                background.join(STOP_LIMIT.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void run() {
        try {
            work();
        } catch (Throwable e) { // an error would end the thread, and retries with it, without any trace
            failed = true;
            LOG.error(
                    "The background thread of group {} has failed, and its consumer stops. Start a new consumer, or restart the process.",
                    group,
                    e);
        }
    }

    private void work() {
        long pause = SHORTEST_PAUSE;
        long pruneAt = System.nanoTime();
        try {
            while (!stop.await(pause, TimeUnit.MILLISECONDS)) {
                try {
                    pause = inbox.runDue() > 0 ? SHORTEST_PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
                    if (System.nanoTime() - pruneAt >= 0) {
                        boolean more = inbox.prune(CHUNK) == CHUNK;
                        pruneAt = System.nanoTime() + (more ? 0 : BETWEEN_PRUNES.toNanos());
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
}

package io.waybill.jdbc.layout;

import io.waybill.store.StoreException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the intake beside the thread that looks for work. The intake depends on a table that is not Waybill's: it may be locked, slow
 * or forbidden. The caller waits for a short while only, and for a running intake not a second time; after a failure the intake pauses.
 * The thread ends by itself when it has had nothing to do.
 */
final class ImporterThread {
    private static final long WAIT_MILLIS = 500;
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LayoutImporter intake;
    private final LoggedOnce trouble;
    private final ThreadPoolExecutor thread;
    private @Nullable Future<?> running;
    private volatile long pausedUntil = System.nanoTime();

    ImporterThread(LayoutImporter intake, Layout layout) {
        this.intake = intake;
        this.trouble = new LoggedOnce(
                "Cannot take in events from " + layout.table(), "Events that were taken in before go on. Retrying.");
        this.thread = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread daemon = new Thread(task, "waybill-intake");
            daemon.setDaemon(true);
            return daemon;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    /** Takes in what waits. Returns when that is done, or at the latest after half a second. */
    synchronized void takeIn() {
        if ((running != null && !running.isDone()) || System.nanoTime() - pausedUntil < 0) {
            return;
        }
        Future<?> started = thread.submit(this::run);
        running = started;
        try {
            started.get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // it goes on by itself; the next call finds it running
        } catch (ExecutionException e) {
            trouble.raise(e); // an Error: the next call starts again
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            intake.takeIn();
            trouble.clear();
        } catch (StoreException e) {
            trouble.raise(e);
            pausedUntil = System.nanoTime() + PAUSE_NANOS;
        }
    }
}

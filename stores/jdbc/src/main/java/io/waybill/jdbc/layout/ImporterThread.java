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
 * Runs the importer in a thread of its own. The importer depends on a table that is not Waybill's, which may be locked, slow
 * or inaccessible. The calling thread therefore waits only briefly for a new run, and not at all for a run that is already
 * in progress. After a failure, the importer pauses for a second. The thread ends when it is idle.
 */
final class ImporterThread {
    private static final long WAIT_MILLIS = 500;
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LayoutImporter importer;
    private final LoggedOnce failure;
    private final ThreadPoolExecutor thread;
    private @Nullable Future<?> running;
    private volatile long pausedUntil = System.nanoTime();

    ImporterThread(LayoutImporter importer, Layout layout) {
        this.importer = importer;
        this.failure = new LoggedOnce(
                "Cannot import events from " + layout.table(),
                "Imported events are still published. Retrying every second.");
        this.thread = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread daemon = new Thread(task, "waybill-importer");
            daemon.setDaemon(true);
            return daemon;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    /** Imports the waiting rows. Returns when they are imported, or after half a second at the latest. */
    synchronized void importWaiting() {
        if ((running != null && !running.isDone()) || System.nanoTime() - pausedUntil < 0) {
            return;
        }
        Future<?> started = thread.submit(this::run);
        running = started;
        try {
            started.get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // the run continues; the next call returns at once while it is in progress
        } catch (ExecutionException e) {
            failure.failed(e); // the run ended with an Error; the next call starts a new run
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            importer.importWaiting();
            failure.recovered();
        } catch (StoreException e) {
            failure.failed(e);
            pausedUntil = System.nanoTime() + PAUSE_NANOS;
        }
    }
}

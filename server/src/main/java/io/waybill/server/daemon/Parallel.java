package io.waybill.server.daemon;

import io.waybill.internal.DaemonThreads;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs the tasks of all outboxes in parallel, so that several slow outboxes delay the caller only once. */
final class Parallel implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.numbered("waybill-outboxes"));

    /** Returns when all tasks have ended. */
    void run(List<Runnable> tasks) {
        CompletableFuture.allOf(tasks.stream()
                        .map(task -> CompletableFuture.runAsync(task, threads))
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

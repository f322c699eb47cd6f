package io.waybill.peers.modulith;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.core.task.AsyncTaskExecutor;

/** Drops tasks while it is closed, which gives the state after a crash between commit and delivery. */
final class GatedExecutor implements AsyncTaskExecutor {
    private final ExecutorService threads;
    private volatile boolean open;

    GatedExecutor(int size) {
        threads = Executors.newFixedThreadPool(size, task -> {
            Thread thread = new Thread(task, "delivery");
            thread.setDaemon(true);
            return thread;
        });
    }

    void open(boolean now) {
        open = now;
    }

    @Override
    public void execute(Runnable task) {
        if (open) {
            threads.execute(task);
        }
    }
}

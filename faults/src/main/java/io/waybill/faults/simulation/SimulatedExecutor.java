package io.waybill.faults.simulation;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** An executor of a relay whose threads run on virtual time. */
final class SimulatedExecutor extends AbstractExecutorService {
    private final Scheduler scheduler;
    private final RelayProcess process;
    private final String name;
    private final int most;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;
    private boolean shutdown;

    SimulatedExecutor(Scheduler scheduler, RelayProcess process, String name, int most) {
        this.scheduler = scheduler;
        this.process = process;
        this.name = name.replace("waybill-", "");
        this.most = most;
    }

    @Override
    public void execute(Runnable task) {
        process.requireAlive();
        if (shutdown) {
            throw new RejectedExecutionException(name + " of " + process);
        }
        waiting.add(task);
        startNext();
    }

    private void startNext() {
        if (running < most && !waiting.isEmpty()) {
            running++;
            Runnable task = waiting.remove();
            scheduler.spawn(process, name, () -> {
                try {
                    task.run();
                } finally {
                    running--;
                    startNext();
                }
            });
        }
    }

    @Override
    public void shutdown() {
        shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        List<Runnable> left = List.copyOf(waiting);
        waiting.clear();
        return left;
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown && running == 0 && waiting.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return scheduler.await(this::isTerminated, unit.toNanos(timeout));
    }
}

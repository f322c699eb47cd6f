package io.waybill.testkit.simulation;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** A relay's threads, each of which waits for its turn. */
final class SimulatedThreads extends AbstractExecutorService {
    private final Conductor conductor;
    private final Life life;
    private final String name;
    private final int most;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;
    private boolean shutdown;

    SimulatedThreads(Conductor conductor, Life life, String name, int most) {
        this.conductor = conductor;
        this.life = life;
        this.name = name.replace("waybill-", "");
        this.most = most;
    }

    @Override
    public void execute(Runnable task) {
        life.requireAlive();
        if (shutdown) {
            throw new RejectedExecutionException(name + " of " + life);
        }
        waiting.add(task);
        startNext();
    }

    private void startNext() {
        if (running < most && !waiting.isEmpty()) {
            running++;
            Runnable task = waiting.remove();
            conductor.spawn(life, name, () -> {
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
        return conductor.await(this::isTerminated, unit.toNanos(timeout));
    }
}

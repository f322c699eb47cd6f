package io.waybill.chaos.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Restarts processes that ended unexpectedly, and counts the restarts. */
final class Supervisor implements AutoCloseable {
    private static final long LOOK_EVERY_MILLIS = 500;

    private final List<ClusterProcess> processes;
    private final Map<String, Integer> restarts = new TreeMap<>();
    private final Thread thread = new Thread(this::run, "keeper");

    Supervisor(List<ClusterProcess> processes) {
        this.processes = processes;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!Thread.interrupted()) {
                Thread.sleep(LOOK_EVERY_MILLIS);
                processes.stream().filter(ClusterProcess::missing).forEach(this::restart);
            }
        } catch (InterruptedException closed) {
            // the cluster is closed
        }
    }

    private synchronized void restart(ClusterProcess process) {
        restarts.merge(process.name(), 1, Integer::sum);
        process.start();
    }

    synchronized Map<String, Integer> restarts() {
        return Map.copyOf(restarts);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}

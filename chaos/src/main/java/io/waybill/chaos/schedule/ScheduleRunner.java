package io.waybill.chaos.schedule;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.fault.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Executes a schedule. Each fault runs on its own thread. A fault whose targets are still being healed waits, because
 * the restart of a server takes an unknown time.
 */
public final class ScheduleRunner {
    private final Cluster cluster;
    private final Duration length;
    private final BiConsumer<Duration, PlannedFault> watcher;
    private final long began = System.nanoTime();
    private final Set<Target> taken = EnumSet.noneOf(Target.class);
    private final List<InjectedFault> faults = new ArrayList<>();

    private ScheduleRunner(Cluster cluster, Duration length, BiConsumer<Duration, PlannedFault> watcher) {
        this.cluster = cluster;
        this.length = length;
        this.watcher = watcher;
    }

    /**
     * Returns after the given time, when all faults have ended.
     *
     * @param watcher receives each fault when it begins, with the time since the start of the run
     */
    public static List<InjectedFault> run(
            List<PlannedFault> plan, Cluster cluster, Duration length, BiConsumer<Duration, PlannedFault> watcher)
            throws InterruptedException {
        ScheduleRunner runner = new ScheduleRunner(cluster, length, watcher);
        List<Thread> threads = new ArrayList<>();
        for (PlannedFault planned : plan) {
            Thread thread =
                    new Thread(() -> runner.carryOut(planned), planned.fault().name());
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        runner.sleepUntil(length);
        for (Thread thread : threads) {
            thread.join();
        }
        return runner.faults;
    }

    private void carryOut(PlannedFault planned) {
        try {
            sleepUntil(planned.at());
            if (!take(planned.fault().targets())) {
                return; // the run has ended
            }
            try {
                breakAndHeal(planned);
            } finally {
                giveBack(planned.fault().targets());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void breakAndHeal(PlannedFault planned) throws InterruptedException {
        Duration begin = now();
        watcher.accept(begin, planned);
        String problem = "";
        try {
            planned.injection().inject(cluster);
            sleepUntil(begin.plus(planned.lasts()));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            problem = "not injected: " + e;
        }
        try {
            planned.injection().heal(cluster);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            problem = "not healed: " + e;
        }
        synchronized (this) {
            faults.add(new InjectedFault(planned, begin, now(), problem));
        }
    }

    private synchronized boolean take(Set<Target> targets) throws InterruptedException {
        while (targets.stream().anyMatch(taken::contains)) {
            wait();
        }
        return now().compareTo(length) < 0 && taken.addAll(targets);
    }

    private synchronized void giveBack(Set<Target> targets) {
        taken.removeAll(targets);
        notifyAll();
    }

    private Duration now() {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private void sleepUntil(Duration time) throws InterruptedException {
        long millis = time.minus(now()).toMillis();
        if (millis > 0) {
            Thread.sleep(millis);
        }
    }
}

package io.waybill.chaos.fault;

import io.waybill.chaos.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Carries a schedule out. Each fault has a thread of its own; one whose targets are still being healed waits for them, because
 * a server that was killed comes back when it does, not when the schedule says.
 */
public final class Nemesis {
    private final World world;
    private final Duration length;
    private final BiConsumer<Duration, Planned> watcher;
    private final long began = System.nanoTime();
    private final Set<Target> taken = EnumSet.noneOf(Target.class);
    private final List<Happened> happened = new ArrayList<>();

    private Nemesis(World world, Duration length, BiConsumer<Duration, Planned> watcher) {
        this.world = world;
        this.length = length;
        this.watcher = watcher;
    }

    /**
     * Returns when the time is over and everything is healed.
     *
     * @param watcher hears of each fault when it begins, and when that is
     */
    public static List<Happened> run(
            List<Planned> plan, World world, Duration length, BiConsumer<Duration, Planned> watcher)
            throws InterruptedException {
        Nemesis nemesis = new Nemesis(world, length, watcher);
        List<Thread> threads = new ArrayList<>();
        for (Planned planned : plan) {
            Thread thread =
                    new Thread(() -> nemesis.carryOut(planned), planned.fault().name());
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        nemesis.sleepUntil(length);
        for (Thread thread : threads) {
            thread.join();
        }
        return nemesis.happened;
    }

    private void carryOut(Planned planned) {
        try {
            sleepUntil(planned.at());
            if (!take(planned.fault().targets())) {
                return; // it would have begun after the end
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

    private void breakAndHeal(Planned planned) throws InterruptedException {
        Duration begin = now();
        watcher.accept(begin, planned);
        String trouble = "";
        try {
            planned.injection().inject(world);
            sleepUntil(begin.plus(planned.lasts()));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            trouble = "not injected: " + e;
        }
        try {
            planned.injection().heal(world);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            trouble = "not healed: " + e;
        }
        synchronized (this) {
            happened.add(new Happened(planned, begin, now(), trouble));
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

package io.waybill.faults.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and the thread that runs next.
 *
 * <p>An agenda holds everything that will happen, with its time: the arrival of a message, a fault, the wake-up of a thread. The
 * thread that stops running takes the next entry. It executes arrivals and faults itself; for a wake-up it grants the permit of
 * that thread. The seed determines all durations and the order of entries with the same time. Nothing else is random, so
 * the same seed gives the same run.
 */
final class Scheduler {
    static final long MILLISECOND = 1_000_000L;
    static final long SECOND = 1_000 * MILLISECOND;
    private static final Pattern RANDOM_PART = Pattern.compile("(?<=\\br\\d\\d)-[0-9a-f]{5}");
    private static final int MOST_STEPS = 60_000;

    final SplittableRandom random;
    private final CarrierThreads carriers;
    private final boolean tracing;
    private final List<String> trace = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final PriorityQueue<Entry> agenda =
            new PriorityQueue<>(Comparator.comparingLong(Entry::time).thenComparingLong(Entry::order));
    private final List<SimulatedThread> threads = new ArrayList<>();
    private final SimulatedThread main;
    private SimulatedThread current;
    private long now;
    private int steps;
    private long entries;
    private boolean over;

    private record Entry(
            long time,
            long order,
            @Nullable Runnable event,
            @Nullable SimulatedThread thread,
            int turn) {}

    Scheduler(long seed, CarrierThreads carriers, boolean tracing) {
        this.random = new SplittableRandom(seed);
        this.carriers = carriers;
        this.tracing = tracing;
        this.main = new SimulatedThread(this, null, "test", () -> {});
        main.runOn(new RunPermit(Thread.currentThread()));
        this.current = main;
    }

    long now() {
        return now;
    }

    int steps() {
        return steps;
    }

    List<String> trace() {
        return trace;
    }

    List<String> violations() {
        return violations;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    long between(long least, long most) {
        return least >= most ? least : random.nextLong(least, most);
    }

    void after(long nanos, Runnable event) {
        agenda.add(new Entry(now + nanos, order(), event, null, 0));
    }

    /** Random, so that entries with the same time are executed in any order. The counter makes it unique. */
    private long order() {
        return ((random.nextLong() >>> 40) << 24) | (entries++ & 0xFFFFFF);
    }

    void note(Supplier<String> line) {
        if (tracing) {
            String who = current == main ? "" : " [" + current.name + "]";
            trace.add(String.format("%9.4f %s%s", now / 1e9, seeded(line.get()), who));
        }
    }

    void violation(String what) {
        note(() -> "VIOLATION " + what);
        violations.add(seeded(what));
        over = true;
    }

    /** Removes the random part of relay names. */
    private static String seeded(String text) {
        return RANDOM_PART.matcher(text).replaceAll("");
    }

    void unexpected(SimulatedThread thread, Throwable problem) {
        StringWriter stack = new StringWriter();
        problem.printStackTrace(new PrintWriter(stack));
        violation(thread.name + " ended with " + stack);
    }

    void spawn(RelayProcess process, String name, Runnable task) {
        SimulatedThread thread = new SimulatedThread(this, process, process + " " + name, task);
        thread.runOn(carriers.assign(thread));
        threads.add(thread);
        wakeAfter(thread, between(0, MILLISECOND));
    }

    private void wakeAfter(SimulatedThread thread, long nanos) {
        agenda.add(new Entry(now + nanos, order(), null, thread, ++thread.turn));
    }

    /** Wakes the threads of a killed relay, which then end. */
    void unwind(RelayProcess process) {
        for (SimulatedThread thread : threads) {
            if (thread.process == process && thread != current) {
                thread.ready = null;
                wakeAfter(thread, 0);
            }
        }
    }

    /** Blocks the current thread for this time. */
    void sleep(long nanos) {
        await(null, nanos);
    }

    /** Blocks the current thread. Returns whether the condition became true within the limit. */
    boolean await(@Nullable BooleanSupplier ready, long limitNanos) {
        SimulatedThread self = current;
        if (self.dead()) {
            throw new SimulatedThread.Crashed();
        }
        self.ready = ready;
        wakeAfter(self, limitNanos);
        SimulatedThread next = next();
        if (next != self) {
            next.permit().grant();
            self.permit().await();
        }
        self.ready = null;
        if (self.dead()) {
            throw new SimulatedThread.Crashed();
        }
        return ready != null && ready.getAsBoolean();
    }

    /** Removes a thread that has ended. Returns the next thread to run. */
    SimulatedThread gone(SimulatedThread thread) {
        threads.remove(thread);
        return next();
    }

    /** Executes entries of the agenda up to the next wake-up of a thread. */
    private SimulatedThread next() {
        while (true) {
            if (over) {
                return turnOf(main);
            }
            for (SimulatedThread thread : threads) {
                wakeIfReady(thread);
            }
            wakeIfReady(main);
            Entry entry = agenda.poll();
            if (entry == null || ++steps > MOST_STEPS) {
                violation(entry == null ? "deadlock: the agenda is empty" : "not finished after " + steps + " steps");
                return turnOf(main);
            }
            now = Math.max(now, entry.time());
            SimulatedThread thread = entry.thread();
            if (entry.event() != null) {
                entry.event().run();
            } else if (thread != null && thread.turn == entry.turn()) {
                long frozen = thread.process == null || thread.dead() ? 0 : thread.process.frozenUntil() - now;
                if (frozen <= 0) {
                    return turnOf(thread);
                }
                wakeAfter(thread, frozen);
            }
        }
    }

    private void wakeIfReady(SimulatedThread thread) {
        BooleanSupplier ready = thread.ready;
        if (ready != null && ready.getAsBoolean()) {
            thread.ready = null;
            wakeAfter(thread, between(0, MILLISECOND / 5));
        }
    }

    private SimulatedThread turnOf(SimulatedThread thread) {
        thread.turn++;
        current = thread;
        return thread;
    }

    /** Ends all remaining threads. All relays must have been killed. */
    void end() {
        agenda.clear();
        over = false;
        for (SimulatedThread thread : threads) {
            thread.ready = null;
            wakeAfter(thread, 0);
        }
        await(threads::isEmpty, 1_000 * SECOND);
    }
}

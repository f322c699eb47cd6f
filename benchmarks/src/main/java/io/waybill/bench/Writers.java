package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.RunningRelay;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that append while a relay runs. Each has its own keys, so that commits of a key are in the order of their
 * numbers. One transaction in fifty is rolled back, and its events must never be published.
 */
final class Writers {
    private static final long ROLLED_BACK = 900_000_000_000L;

    private final Contestant contestant;
    private final Schema schema;
    private final Load load;
    private final String topic;
    private final int threads;
    private final AtomicInteger numbers = new AtomicInteger();

    Writers(Contestant contestant, Schema schema, Load load, String topic, int threads) {
        this.contestant = contestant;
        this.schema = schema;
        this.load = load;
        this.topic = topic;
        this.threads = threads;
    }

    /**
     * @param events committed ones
     * @param cpuSeconds of the writing threads, which is not the relay's
     */
    record Wrote(int events, double seconds, double cpuSeconds) {}

    /** Returns the time at which the commit of an event returned. */
    interface Committed {
        void at(int number, long nanos);
    }

    /** Appends as fast as commits allow. */
    Wrote flatOut(int perTransaction, int seconds) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        return run(writer -> {
            SplittableRandom random = new SplittableRandom(writer);
            try (Connection connection = schema.connect()) {
                connection.setAutoCommit(false);
                for (int i = 1; System.nanoTime() - end < 0; i++) {
                    if (i % 50 == 0) {
                        append(connection, List.of(load.next(ROLLED_BACK, random, writer, threads)));
                        connection.rollback();
                    }
                    append(connection, entries(perTransaction, random, writer));
                    connection.commit();
                }
                connection.setAutoCommit(true);
            }
            return cpuOfThisThread();
        });
    }

    /** Appends one event per transaction at a steady rate. */
    Wrote steadily(int perSecond, int events, RunningRelay relay, Committed committed) throws Exception {
        long start = System.nanoTime();
        return run(writer -> {
            SplittableRandom random = new SplittableRandom(writer);
            try (Connection connection = schema.connect()) {
                connection.setAutoCommit(false);
                for (int turn = writer; turn < events; turn += threads) {
                    long due = start + turn * (1_000_000_000L / perSecond);
                    for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                        LockSupport.parkNanos(wait);
                    }
                    List<Entry> one = entries(1, random, writer);
                    append(connection, one);
                    connection.commit();
                    committed.at((int) one.get(0).number(), System.nanoTime());
                    relay.hint();
                }
                connection.setAutoCommit(true);
            }
            return cpuOfThisThread();
        });
    }

    private void append(Connection connection, List<Entry> entries) throws SQLException {
        contestant.append(connection, entries, topic);
    }

    private List<Entry> entries(int count, SplittableRandom random, int writer) {
        int first = numbers.getAndAdd(count);
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(load.next(first + i, random, writer, threads));
        }
        return entries;
    }

    private interface Writing {
        double run(int writer) throws Exception;
    }

    private Wrote run(Writing writing) throws Exception {
        long start = System.nanoTime();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Double>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int writer = i;
                tasks.add(() -> writing.run(writer));
            }
            double cpu = 0;
            for (Future<Double> written : pool.invokeAll(tasks)) {
                cpu += written.get();
            }
            return new Wrote(numbers.get(), (System.nanoTime() - start) / 1e9, cpu);
        } finally {
            pool.shutdown();
        }
    }

    private static double cpuOfThisThread() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
    }
}

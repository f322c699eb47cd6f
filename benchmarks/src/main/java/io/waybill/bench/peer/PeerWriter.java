package io.waybill.bench.peer;

import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import java.io.DataOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Appends numbered events through a peer, with two threads that have their own keys. */
final class PeerWriter {
    private static final int THREADS = 2;

    private final Peer peer;
    private final Load load;
    private final AtomicInteger numbers = new AtomicInteger();

    PeerWriter(Peer peer, Load load) {
        this.peer = peer;
        this.load = load;
    }

    void write(int events, int perTransaction) throws Exception {
        int end = numbers.get() + events;
        inParallel(writer -> {
            SplittableRandom random = new SplittableRandom(writer);
            while (true) {
                int first = numbers.getAndUpdate(n -> Math.min(end, n + perTransaction));
                if (first >= end) {
                    return;
                }
                List<Entry> entries = new ArrayList<>(perTransaction);
                for (int number = first; number < Math.min(end, first + perTransaction); number++) {
                    entries.add(load.next(number, random, writer, THREADS));
                }
                peer.append(entries);
            }
        });
    }

    /** Appends one event per transaction and writes the commit times, from the monotonic clock of the machine, to a file. */
    void steadily(int events, int perSecond, Path file) throws Exception {
        int first = numbers.getAndAdd(events);
        long[] committed = new long[events];
        long start = System.nanoTime();
        inParallel(writer -> {
            SplittableRandom random = new SplittableRandom(writer);
            for (int turn = writer; turn < events; turn += THREADS) {
                long due = start + turn * (1_000_000_000L / perSecond);
                for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                peer.append(List.of(load.next(first + turn, random, writer, THREADS)));
                committed[turn] = System.nanoTime();
            }
        });
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
            for (long time : committed) {
                out.writeLong(time);
            }
        }
    }

    private interface Writing {
        void run(int writer) throws Exception;
    }

    private static void inParallel(Writing writing) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int writer = i;
                tasks.add(() -> {
                    writing.run(writer);
                    return writer;
                });
            }
            for (Future<Integer> ended : pool.invokeAll(tasks)) {
                ended.get();
            }
        } finally {
            pool.shutdown();
        }
    }
}

package io.waybill.relay;

import io.waybill.WaybillException;
import io.waybill.internal.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The threads of a relay. */
final class Threads {
    private Threads() {}

    static ThreadFactory named(String name, int count) {
        return count == 1 ? task -> DaemonThreads.create(name, task) : DaemonThreads.numbered(name);
    }

    /** @return one thread that runs the task and ends with it */
    static ExecutorService start(Ticker ticker, String name, Runnable task) {
        ExecutorService thread = ticker.threads(name, 1);
        thread.execute(task);
        thread.shutdown();
        return thread;
    }

    /** A thread that ends for an interrupt ends its relay, as for any exception: no one else does its work. */
    static WaybillException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new WaybillException(Thread.currentThread().getName() + " was interrupted.", e);
    }

    /** @return whether all tasks ended before the limit */
    static boolean join(ExecutorService threads, Duration limit) {
        try {
            return threads.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

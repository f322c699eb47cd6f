package io.waybill.relay;

import io.waybill.WaybillException;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** The threads of a relay. */
final class Threads {
    private Threads() {}

    /** @return an executor with one thread, which ends with the task */
    static ExecutorService start(Ticker ticker, String name, Runnable task) {
        ExecutorService thread = ticker.threads(name, 1);
        thread.execute(task);
        thread.shutdown();
        return thread;
    }

    /** An interrupted thread stops its relay like any other failure, because no other thread does its work. */
    static WaybillException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new WaybillException(Thread.currentThread().getName() + " was interrupted.", e);
    }

    /** @return whether all tasks ended within the limit */
    static boolean join(ExecutorService threads, Duration limit) {
        try {
            return threads.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

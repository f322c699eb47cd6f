package io.waybill.time;

import io.waybill.internal.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The monotonic clock of a relay or an inbox. It measures the local view of leases, pauses and rates. Decisions between processes
 * (leases, retries, ages) use the time of the store. A wrong ticker can therefore cause duplicates or delays, but no event is
 * lost.
 *
 * <p>Every thread that a relay starts, and every wait of these threads outside its store and its transport, also goes through this
 * interface. A simulation that implements all methods decides which thread runs, and when.
 */
@FunctionalInterface
public interface Ticker {
    Ticker SYSTEM = System::nanoTime;

    /** Returns nanoseconds since an arbitrary origin; only differences are meaningful. */
    long nanos();

    /** Returns an executor with {@code count} daemon threads. */
    default ExecutorService threads(String name, int count) {
        return Executors.newFixedThreadPool(count, DaemonThreads.named(name, count));
    }

    /** @return whether a permit was acquired within the limit */
    default boolean acquire(Semaphore permits, Duration limit) throws InterruptedException {
        return permits.tryAcquire(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** @return the next element, or null if there was none within the limit */
    default <T> @Nullable T poll(BlockingQueue<T> queue, Duration limit) throws InterruptedException {
        return queue.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
}

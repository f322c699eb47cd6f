package io.waybill.relay;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The monotonic clock of a relay: how long its own lease, pauses and rates last by its own belief. What decides between relays
 * (leases, retries, ages) is the store's time, so a ticker that runs wrong costs duplicates or patience, never an event.
 *
 * <p>Every thread that a relay starts, and every wait of these threads outside of its store and its transport, passes here
 * too: a simulation that replaces all of it decides alone who goes on, and when.
 */
@FunctionalInterface
public interface Ticker {
    Ticker SYSTEM = System::nanoTime;

    /** Nanoseconds since some moment; only differences mean anything. */
    long nanos();

    /** For at most {@code count} tasks at a time; its threads keep no process alive. */
    default ExecutorService threads(String name, int count) {
        return Executors.newFixedThreadPool(count, Threads.named(name, count));
    }

    /** @return whether there was a permit before the limit */
    default boolean acquire(Semaphore permits, Duration limit) throws InterruptedException {
        return permits.tryAcquire(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** @return null when nothing came before the limit */
    default <T> @Nullable T poll(BlockingQueue<T> queue, Duration limit) throws InterruptedException {
        return queue.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
    }
}

package io.waybill.kafka;

import io.waybill.transport.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The messages without a result. Kafka's client promises one for each, but its network thread can die: an {@code Error}
 * such as a lack of memory ends it, and the callbacks of what it had in hand are never called.
 */
final class InFlight {
    private final Set<Sending> sendings = ConcurrentHashMap.newKeySet();
    private volatile boolean awaited;

    void add(Sending sending) {
        sendings.add(sending);
    }

    void remove(Sending sending) {
        sendings.remove(sending);
        if (awaited && sendings.isEmpty()) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /** Those that are older than the age and so have been forgotten by Kafka's client. */
    List<Sending> olderThan(Duration age) {
        long limit = age.toNanos();
        return sendings.stream().filter(sending -> sending.ageNanos() > limit).toList();
    }

    synchronized boolean awaitNone(Duration limit) throws InterruptedException {
        awaited = true;
        long end = System.nanoTime() + limit.toNanos();
        while (!sendings.isEmpty()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    void failAll(Failure failure) {
        sendings.forEach(sending -> sending.failed(failure));
    }
}

package io.waybill.transport.support;

import io.waybill.transport.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The messages without a result. A broker's client may promise one for each, but its network thread can die: an
 * {@code Error} such as a lack of memory ends it, and the callbacks of what it had in hand are never called.
 */
public final class InFlight {
    private final Set<PendingMessage> messages = ConcurrentHashMap.newKeySet();
    private volatile boolean awaited;

    public void add(PendingMessage message) {
        messages.add(message);
    }

    void remove(PendingMessage message) {
        messages.remove(message);
        if (awaited && messages.isEmpty()) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /** Those that are older than the age and so have been forgotten by the broker or its client. */
    public List<PendingMessage> olderThan(Duration age) {
        long limit = age.toNanos();
        return messages.stream().filter(message -> message.ageNanos() > limit).toList();
    }

    /** Waits until there are none, or the time is up, or the thread is interrupted. */
    public synchronized void awaitNone(Duration limit) {
        awaited = true;
        long end = System.nanoTime() + limit.toNanos();
        try {
            for (long left = limit.toNanos(); left > 0 && !messages.isEmpty(); left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public void failAll(Failure failure) {
        messages.forEach(message -> message.failed(failure));
    }
}

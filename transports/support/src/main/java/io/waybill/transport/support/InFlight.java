package io.waybill.transport.support;

import io.waybill.transport.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The messages without a result. A broker's client promises a callback for each, but an {@code Error} such as
 * {@link OutOfMemoryError} can end its network thread, and then the callbacks of its messages are never called.
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

    /** Returns the messages that are older than the given age. */
    public List<PendingMessage> olderThan(Duration age) {
        long limit = age.toNanos();
        return messages.stream().filter(message -> message.ageNanos() > limit).toList();
    }

    /** Waits until no message is in flight, the limit has passed, or the thread is interrupted. */
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

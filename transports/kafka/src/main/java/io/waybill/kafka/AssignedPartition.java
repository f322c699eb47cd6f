package io.waybill.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A partition as long as it is ours: what was fetched and not handled yet, and how far the database has come. One worker at a
 * time takes from it. Once it is taken away, the object is dropped, so that whatever a worker does with it afterwards can no
 * longer move an offset.
 */
final class AssignedPartition {
    private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
    private boolean scheduled;
    private boolean handling;
    private boolean revoked;
    private long next = -1;
    private long committed = -1;

    synchronized void add(List<ConsumerRecord<byte[], byte[]>> records) {
        waiting.addAll(records);
    }

    synchronized int size() {
        return waiting.size();
    }

    /** Whether a worker should be sent; it is then expected to call {@link #take} until that returns nothing. */
    synchronized boolean schedule() {
        if (scheduled || revoked || waiting.isEmpty()) {
            return false;
        }
        scheduled = true;
        return true;
    }

    /** The next records, which stay here until they are handled. */
    synchronized List<ConsumerRecord<byte[], byte[]>> take(int most) {
        if (revoked || waiting.isEmpty()) {
            scheduled = false;
            return List.of();
        }
        handling = true;
        List<ConsumerRecord<byte[], byte[]>> taken = new ArrayList<>(most);
        Iterator<ConsumerRecord<byte[], byte[]>> records = waiting.iterator();
        while (taken.size() < most && records.hasNext()) {
            taken.add(records.next());
        }
        return taken;
    }

    synchronized void handled(int count) {
        for (int i = 0; i < count; i++) {
            next = waiting.remove().offset() + 1;
        }
        left();
    }

    /** What was taken stays first. */
    synchronized void left() {
        handling = false;
        notifyAll();
    }

    /** No worker takes anything from now on. */
    synchronized void revoke() {
        revoked = true;
    }

    /** Waits for the worker that is inside, if any; false when it does not come out in time. */
    synchronized boolean awaitLeft(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (handling) {
            long millis = (end - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                return false;
            }
            wait(millis);
        }
        return true;
    }

    /** The offset to commit, when it has moved since the last time. */
    synchronized OptionalLong progress() {
        return next > committed ? OptionalLong.of(next) : OptionalLong.empty();
    }

    synchronized void committed(long offset) {
        committed = Math.max(committed, offset);
    }
}

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
 * A partition during one assignment to this consumer: its fetched records and the offset up to which the database has committed. One
 * worker at a time takes records from it. When the partition is revoked, the consumer drops this object, so that a late worker can no
 * longer move the offset.
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

    /** Returns whether a worker must be started. The worker then calls {@link #take} until it returns no records. */
    synchronized boolean schedule() {
        if (scheduled || revoked || waiting.isEmpty()) {
            return false;
        }
        scheduled = true;
        return true;
    }

    /** Returns the next records. They stay first in the queue until {@link #handled} removes them. */
    synchronized List<ConsumerRecord<byte[], byte[]>> take(int limit) {
        if (revoked || waiting.isEmpty()) {
            scheduled = false;
            return List.of();
        }
        handling = true;
        List<ConsumerRecord<byte[], byte[]>> taken = new ArrayList<>(limit);
        Iterator<ConsumerRecord<byte[], byte[]>> records = waiting.iterator();
        while (taken.size() < limit && records.hasNext()) {
            taken.add(records.next());
        }
        return taken;
    }

    synchronized void handled(int count) {
        for (int i = 0; i < count; i++) {
            next = waiting.remove().offset() + 1;
        }
        stopHandling();
    }

    /** Ends the work of a worker. Records that were taken and not handled stay first in the queue. */
    synchronized void stopHandling() {
        handling = false;
        notifyAll();
    }

    /** Makes {@link #take} return no more records. */
    synchronized void revoke() {
        revoked = true;
    }

    /** Waits until no worker handles records; returns false if the limit passes first. */
    synchronized boolean awaitNotHandling(Duration limit) throws InterruptedException {
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

    /** Returns the offset to commit; empty if it has not moved since the last commit. */
    synchronized OptionalLong progress() {
        return next > committed ? OptionalLong.of(next) : OptionalLong.empty();
    }

    synchronized void committed(long offset) {
        committed = Math.max(committed, offset);
    }
}

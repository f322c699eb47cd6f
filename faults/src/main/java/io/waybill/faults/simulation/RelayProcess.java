package io.waybill.faults.simulation;

import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The process of one relay: its clock, its threads, and the faults that affect all of them. */
final class RelayProcess implements Ticker {
    private final String name;
    private final Scheduler scheduler;
    private boolean dead;
    private long frozenUntil;
    private long cutOffUntil;
    private long brokerCutOffUntil;
    /** A monotonic clock may start at any value, for example below zero or just before it overflows. */
    private final long clockBegan;

    private long clockIsAhead;

    RelayProcess(String name, Scheduler scheduler) {
        this.name = name;
        this.scheduler = scheduler;
        long[] beginnings = {0, -1_000 * Scheduler.SECOND, Long.MAX_VALUE - 10 * Scheduler.SECOND};
        this.clockBegan = beginnings[scheduler.random.nextInt(beginnings.length)];
    }

    boolean dead() {
        return dead;
    }

    void kill() {
        if (!dead) {
            dead = true;
            scheduler.unwind(this);
        }
    }

    long frozenUntil() {
        return frozenUntil;
    }

    void freeze(long nanos) {
        frozenUntil = scheduler.now() + nanos;
    }

    boolean cutOff() {
        return scheduler.now() < cutOffUntil;
    }

    /** Cuts the connection to the database, but not to the broker. */
    void cutOff(long nanos) {
        cutOffUntil = scheduler.now() + nanos;
    }

    boolean brokerCutOff() {
        return scheduler.now() < brokerCutOffUntil;
    }

    /** Cuts the connection to the broker, but not to the database. */
    void cutOffBroker(long nanos) {
        brokerCutOffUntil = scheduler.now() + nanos;
    }

    /** @param nanos the offset of the clock from now on; may be negative */
    void setClock(long nanos) {
        clockIsAhead = nanos;
    }

    long clockIsAhead() {
        return clockIsAhead;
    }

    void heal() {
        frozenUntil = 0;
        cutOffUntil = 0;
        brokerCutOffUntil = 0;
    }

    /** Throws if the process was killed, so that its calls have no effect. */
    void requireAlive() {
        if (dead) {
            throw new SimulatedThread.Crashed();
        }
    }

    @Override
    public long nanos() {
        return clockBegan + scheduler.now() + clockIsAhead;
    }

    @Override
    public ExecutorService threads(String purpose, int count) {
        return new SimulatedExecutor(scheduler, this, purpose, count);
    }

    @Override
    public boolean acquire(Semaphore permits, Duration limit) {
        scheduler.await(() -> permits.availablePermits() > 0, limit.toNanos());
        return permits.tryAcquire();
    }

    @Override
    public <T> @Nullable T poll(BlockingQueue<T> queue, Duration limit) {
        scheduler.await(() -> !queue.isEmpty(), limit.toNanos());
        return queue.poll();
    }

    @Override
    public String toString() {
        return name;
    }
}

package io.waybill.testkit.simulation;

import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** One run of a relay's process: its clock, its threads, and what befalls all of them together. */
final class Life implements Ticker {
    private final String name;
    private final Conductor conductor;
    private boolean dead;
    private long frozenUntil;
    private long cutOffUntil;
    private long brokerCutOffUntil;
    /** A monotonic clock may begin anywhere, below zero or just before it overflows. */
    private final long clockBegan;

    private long clockIsAhead;

    Life(String name, Conductor conductor) {
        this.name = name;
        this.conductor = conductor;
        long[] beginnings = {0, -1_000 * Conductor.SECOND, Long.MAX_VALUE - 10 * Conductor.SECOND};
        this.clockBegan = beginnings[conductor.random.nextInt(beginnings.length)];
    }

    boolean dead() {
        return dead;
    }

    void kill() {
        if (!dead) {
            dead = true;
            conductor.unwind(this);
        }
    }

    long frozenUntil() {
        return frozenUntil;
    }

    void freeze(long nanos) {
        frozenUntil = conductor.now() + nanos;
    }

    boolean cutOff() {
        return conductor.now() < cutOffUntil;
    }

    /** From the database, not from the broker. */
    void cutOff(long nanos) {
        cutOffUntil = conductor.now() + nanos;
    }

    boolean brokerCutOff() {
        return conductor.now() < brokerCutOffUntil;
    }

    /** From the broker, not from the database. */
    void cutOffBroker(long nanos) {
        brokerCutOffUntil = conductor.now() + nanos;
    }

    /** @param nanos how much the clock is ahead from now on, or behind */
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

    /** Nothing a killed process still calls has an effect. */
    void requireAlive() {
        if (dead) {
            throw new Actor.Crashed();
        }
    }

    @Override
    public long nanos() {
        return clockBegan + conductor.now() + clockIsAhead;
    }

    @Override
    public ExecutorService threads(String purpose, int count) {
        return new SimulatedThreads(conductor, this, purpose, count);
    }

    @Override
    public boolean acquire(Semaphore permits, Duration limit) {
        conductor.await(() -> permits.availablePermits() > 0, limit.toNanos());
        return permits.tryAcquire();
    }

    @Override
    public <T> @Nullable T poll(BlockingQueue<T> queue, Duration limit) {
        conductor.await(() -> !queue.isEmpty(), limit.toNanos());
        return queue.poll();
    }

    @Override
    public String toString() {
        return name;
    }
}

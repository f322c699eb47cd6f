package io.waybill.examples.polyshop.gateway;

import java.time.Duration;

/**
 * Stops requests to a service that fails: opens when half of the last 20 requests failed, stays open for 5 seconds, and then lets 3
 * requests through to try. If they succeed, it closes.
 */
final class Breaker {
    private static final int WINDOW = 20;
    private static final int TRIALS = 3;
    private static final long OPEN_NANOS = Duration.ofSeconds(5).toNanos();

    private final boolean[] failed = new boolean[WINDOW];
    private int recorded;
    private boolean open;
    private long openedAt;
    private int trials;
    private int successes;

    /** Returns whether a request may be sent now; its outcome must be recorded. */
    synchronized boolean allows(long nanos) {
        if (!open) {
            return true;
        }
        if (nanos - openedAt < OPEN_NANOS) {
            return false;
        }
        if (trials >= TRIALS && nanos - openedAt >= 2 * OPEN_NANOS) {
            openedAt = nanos - OPEN_NANOS; // no outcome of the trials was recorded: allow others
            trials = 0;
            successes = 0;
        }
        return trials++ < TRIALS;
    }

    synchronized void record(boolean success, long nanos) {
        if (open) {
            if (!success) {
                open(nanos);
            } else if (++successes >= TRIALS) {
                open = false;
                recorded = 0;
            }
            return;
        }
        failed[recorded++ % WINDOW] = !success;
        if (recorded >= WINDOW && failures() * 2 >= WINDOW) {
            open(nanos);
        }
    }

    private void open(long nanos) {
        open = true;
        openedAt = nanos;
        trials = 0;
        successes = 0;
    }

    private int failures() {
        int failures = 0;
        for (boolean one : failed) {
            failures += one ? 1 : 0;
        }
        return failures;
    }
}

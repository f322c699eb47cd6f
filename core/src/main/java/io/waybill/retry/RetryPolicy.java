package io.waybill.retry;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often and how soon a failing event is retried: exponential back-off with jitter, up to a limit of attempts.
 *
 * @param maxAttempts total number of attempts; after the last one the event becomes a dead letter
 * @param firstDelay delay after the first failure; it doubles with each further failure
 * @param longestDelay upper limit of the delay
 */
public record RetryPolicy(int maxAttempts, Duration firstDelay, Duration longestDelay) {
    public RetryPolicy {
        if (maxAttempts < 1) {
            throw new WaybillException("max attempts must be 1 or more, not " + maxAttempts + ".");
        }
        if (firstDelay.isNegative() || firstDelay.isZero() || longestDelay.compareTo(firstDelay) < 0) {
            throw new WaybillException("The first retry delay must be positive and not above the longest: " + firstDelay
                    + ", " + longestDelay);
        }
    }

    /** Whether an event with this many failures has no attempt left. */
    public boolean exhausted(int failures) {
        return failures >= maxAttempts;
    }

    /** Returns the delay after the given number of failures, with ±20 % jitter so that many events are not retried at once. */
    public Duration delay(int failures) {
        int doublings = Math.min(Math.max(failures - 1, 0), 30);
        double millis = Math.min(firstDelay.toMillis() * Math.pow(2, doublings), (double) longestDelay.toMillis());
        double spread = 0.8 + 0.4 * ThreadLocalRandom.current().nextDouble();
        return Duration.ofMillis(Math.max(1, Math.round(millis * spread)));
    }
}

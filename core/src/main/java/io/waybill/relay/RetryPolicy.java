package io.waybill.relay;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often and how fast a failing event is tried again: exponential back-off with jitter, up to a limit of attempts.
 *
 * @param maxAttempts attempts in all; after the last one the event is a dead letter
 * @param firstDelay pause after the first failure; doubles with every further one
 * @param longestDelay the doubling stops here
 */
public record RetryPolicy(int maxAttempts, Duration firstDelay, Duration longestDelay) {
    /** Ten attempts over about three minutes; outages of the broker count none of them. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(10, Duration.ofMillis(500), Duration.ofMinutes(1));

    /** A store lets an event travel alone from the third death on. */
    private static final int DEATHS_AS_PROOF = 5;

    public RetryPolicy {
        if (maxAttempts < 1) {
            throw new WaybillException("max attempts must be 1 or more, not " + maxAttempts + ".");
        }
        if (firstDelay.isNegative() || firstDelay.isZero() || longestDelay.compareTo(firstDelay) < 0) {
            throw new WaybillException("The first retry delay must be positive and not above the longest: " + firstDelay
                    + ", " + longestDelay);
        }
    }

    public boolean exhausted(int failures) {
        return failures >= maxAttempts;
    }

    /**
     * Whether an event whose relays kept ending is given up on without another try. Never before it has travelled alone
     * twice, however low the limit: until then a neighbour may have been the cause.
     */
    boolean deadly(int failures) {
        return failures >= Math.max(maxAttempts, DEATHS_AS_PROOF);
    }

    /** The pause after the given number of failures, spread by ±20 % so that a crowd does not come back at once. */
    public Duration delay(int failures) {
        int doublings = Math.min(Math.max(failures - 1, 0), 30);
        double millis = Math.min(firstDelay.toMillis() * Math.pow(2, doublings), (double) longestDelay.toMillis());
        double spread = 0.8 + 0.4 * ThreadLocalRandom.current().nextDouble();
        return Duration.ofMillis(Math.max(1, Math.round(millis * spread)));
    }
}

package io.waybill.relay;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Destinations that take no events until an operator does something: a topic that is missing or forbidden. Their keys wait and
 * are tried again, uncounted, with pauses that grow with the time for which the destination has refused. Each destination is
 * logged once, and once when it takes events again.
 */
final class Destinations {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    /** More are not remembered one by one: somebody makes up topics. */
    private static final int MOST = 1_000;

    private final RetryPolicy retry;
    private final Ticker ticker;
    private final Map<String, Long> refusing = new ConcurrentHashMap<>();

    Destinations(RetryPolicy retry, Ticker ticker) {
        this.retry = retry;
        this.ticker = ticker;
    }

    /** Returns how long the event waits until the destination is tried again. */
    Duration refused(String destination, String reason) {
        long now = ticker.nanos();
        if (refusing.size() >= MOST && !refusing.containsKey(destination)) {
            return retry.longestDelay();
        }
        Long since = refusing.putIfAbsent(destination, now);
        if (since == null) {
            LOG.warn(
                    "Destination {} takes no events: {} Its keys wait, without counting attempts, and are tried again;"
                            + " other destinations go on.",
                    destination.replaceAll("\\p{Cntrl}", "?"),
                    reason);
        }
        return pause(since == null ? 0 : now - since);
    }

    /** Half of the time that has passed, within the limits of the retry policy, and spread so that keys do not come back at once. */
    private Duration pause(long elapsed) {
        long longest = retry.longestDelay().toNanos();
        long half = Math.min(longest, Math.max(retry.firstDelay().toNanos(), elapsed / 2));
        return Duration.ofNanos(
                (long) (half * (0.8 + 0.4 * ThreadLocalRandom.current().nextDouble())));
    }

    /** Called for every published event. */
    void accepted(String destination) {
        if (refusing.isEmpty()) {
            return;
        }
        Long since = refusing.remove(destination);
        if (since != null) {
            LOG.info(
                    "Destination {} takes events again after {} s",
                    destination.replaceAll("\\p{Cntrl}", "?"),
                    Duration.ofNanos(ticker.nanos() - since).toMillis() / 1_000.0);
        }
    }
}

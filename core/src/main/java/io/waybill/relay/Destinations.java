package io.waybill.relay;

import io.waybill.retry.RetryPolicy;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Destinations that accept no events until an operator intervenes: a topic that is missing, or that the relay may not write to. The
 * keys of these destinations wait and are retried without counting attempts. The delay grows with the duration of the problem. Each
 * destination is logged once when it stops accepting events and once when it accepts them again.
 */
final class Destinations {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    /** Limits the memory used when an application generates topic names. */
    private static final int MOST = 1_000;

    private final RetryPolicy retry;
    private final Ticker ticker;
    private final Map<String, Long> unavailableSince = new ConcurrentHashMap<>();

    Destinations(RetryPolicy retry, Ticker ticker) {
        this.retry = retry;
        this.ticker = ticker;
    }

    /** Returns the delay until the event is retried. */
    Duration refused(String destination, String reason) {
        long now = ticker.nanos();
        if (unavailableSince.size() >= MOST && !unavailableSince.containsKey(destination)) {
            return retry.longestDelay();
        }
        Long since = unavailableSince.putIfAbsent(destination, now);
        if (since == null) {
            LOG.warn(
                    "Destination {} accepts no events: {} Its keys wait and are retried without counting attempts;"
                            + " other destinations are not affected.",
                    destination.replaceAll("\\p{Cntrl}", "?"),
                    reason);
        }
        return pause(since == null ? 0 : now - since);
    }

    /** Returns half of the elapsed time, within the limits of the retry policy, with jitter so that keys are not retried at once. */
    private Duration pause(long elapsed) {
        long longest = retry.longestDelay().toNanos();
        long half = Math.min(longest, Math.max(retry.firstDelay().toNanos(), elapsed / 2));
        return Duration.ofNanos(
                (long) (half * (0.8 + 0.4 * ThreadLocalRandom.current().nextDouble())));
    }

    /** Called for every published event. */
    void accepted(String destination) {
        if (unavailableSince.isEmpty()) {
            return;
        }
        Long since = unavailableSince.remove(destination);
        if (since != null) {
            LOG.info(
                    "Destination {} accepts events again after {} s",
                    destination.replaceAll("\\p{Cntrl}", "?"),
                    Duration.ofNanos(ticker.nanos() - since).toMillis() / 1_000.0);
        }
    }
}

package io.waybill.server.http.access;

import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Refusal.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slows down guessing of passwords. After a few failures with a name or from an address, the next attempt must wait: one second,
 * then twice as long after each further failure. During the wait, a correct password is refused, too, so that the answer does not
 * reveal it.
 */
final class LoginThrottle {
    private static final int FREE_OF_NAME = 5;
    private static final int FREE_OF_ADDRESS = 20;
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final Duration FORGET = Duration.ofMinutes(15);
    private static final int MOST = 20_000;

    private final InstantSource clock;

    private final Map<String, Failures> failures = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
            return size() > MOST;
        }
    };

    private record Failures(int count, Instant last) {
        private static final Failures NONE = new Failures(0, Instant.EPOCH);

        Instant over(int free) {
            int further = Math.min(count - free, 20);
            if (further < 0) {
                return Instant.EPOCH;
            }
            Duration wait = Duration.ofSeconds(1L << further);
            return last.plus(wait.compareTo(LONGEST) < 0 ? wait : LONGEST);
        }
    }

    LoginThrottle(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Counts an attempt as failed until {@link #succeeded} is called. Otherwise parallel guesses would pass before the first one
     * fails.
     *
     * @throws Refusal if the attempt must wait
     */
    synchronized void attempt(String address, String name) {
        Instant now = clock.instant();
        Instant over =
                later(of(key(name), now).over(FREE_OF_NAME), of(address, now).over(FREE_OF_ADDRESS));
        if (now.isBefore(over)) {
            long seconds =
                    Math.max(1, Duration.between(now, over).plusMillis(999).toSeconds());
            throw Refusal.of(
                            Kind.TOO_MANY,
                            "There were too many failed sign-ins with this name or from this address.",
                            "Try again in " + seconds + " seconds.")
                    .header("Retry-After", Long.toString(seconds));
        }
        failures.put(key(name), new Failures(of(key(name), now).count() + 1, now));
        failures.put(address, new Failures(of(address, now).count() + 1, now));
    }

    private Failures of(String key, Instant now) {
        Failures known = failures.getOrDefault(key, Failures.NONE);
        return known.last().plus(FORGET).isBefore(now) ? Failures.NONE : known;
    }

    private static Instant later(Instant first, Instant second) {
        return first.isAfter(second) ? first : second;
    }

    synchronized void succeeded(String address, String name) {
        failures.remove(key(name));
        failures.computeIfPresent(
                address, (key, known) -> known.count() <= 1 ? null : new Failures(known.count() - 1, known.last()));
    }

    /** Returns the key of a name. An address contains no space, so the two kinds of keys differ. */
    private static String key(String name) {
        return "name " + name;
    }
}

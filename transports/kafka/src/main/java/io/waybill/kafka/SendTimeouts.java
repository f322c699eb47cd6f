package io.waybill.kafka;

import io.waybill.WaybillException;
import java.time.Duration;

/**
 * Cuts the time that one send may take into its stages, so that their sum stays within it: a look at the topic before
 * (a sixth), waiting for room in the buffer (a sixth), the broker's answer with all retries (a half), a look at the
 * topic after a silence (a sixth).
 */
record SendTimeouts(Duration send) {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(30);
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(5);

    SendTimeouts {
        if (send.compareTo(SHORTEST) < 0 || send.compareTo(LONGEST) > 0) {
            throw new WaybillException("The sendTimeout must lie between 1 second and 30 minutes, not " + send + ".");
        }
    }

    Duration block() {
        return send.dividedBy(6);
    }

    Duration look() {
        return send.dividedBy(6);
    }

    Duration deliver() {
        return send.dividedBy(2);
    }

    /** Half of what is left after lingering, so that one lost request is repeated before the time is over. */
    Duration request(Duration linger) {
        return deliver().minus(linger).dividedBy(2);
    }

    Duration probe() {
        return shorter(send, LONGEST_PROBE);
    }

    Duration close() {
        return send.dividedBy(3);
    }

    /** How long a missing topic is taken as missing before Kafka is asked again. */
    Duration refusal() {
        return shorter(look(), Duration.ofSeconds(2));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}

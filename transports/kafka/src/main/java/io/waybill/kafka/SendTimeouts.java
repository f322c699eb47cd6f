package io.waybill.kafka;

import io.waybill.WaybillException;
import java.time.Duration;

/**
 * Divides the send timeout among the stages of a send, so that their sum does not exceed it: looking the topic up (a sixth), waiting for
 * space in the producer's buffer (a sixth), delivery with all retries (a half), and looking the topic up again after a timeout (a sixth).
 */
record SendTimeouts(Duration send) {
    private static final Duration MIN = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofMinutes(30);
    private static final Duration MAX_PROBE = Duration.ofSeconds(5);

    SendTimeouts {
        if (send.compareTo(MIN) < 0 || send.compareTo(MAX) > 0) {
            throw new WaybillException("The sendTimeout must be between 1 second and 30 minutes, not " + send + ".");
        }
    }

    Duration block() {
        return send.dividedBy(6);
    }

    Duration topicLookup() {
        return send.dividedBy(6);
    }

    Duration deliver() {
        return send.dividedBy(2);
    }

    /** Half of the delivery time after lingering, so that one lost request can be repeated in time. */
    Duration request(Duration linger) {
        return deliver().minus(linger).dividedBy(2);
    }

    Duration probe() {
        return shorter(send, MAX_PROBE);
    }

    Duration close() {
        return send.dividedBy(3);
    }

    /** How long a missing topic is assumed to be missing before it is looked up again. */
    Duration missingTopicTtl() {
        return shorter(topicLookup(), Duration.ofSeconds(2));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}

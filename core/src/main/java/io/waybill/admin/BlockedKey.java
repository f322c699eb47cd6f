package io.waybill.admin;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A key whose first open event waits for a retry, for the end of a pause, or for an operator. Later events of the key wait behind it.
 *
 * @param id the first open event of the key
 * @param nextAttemptAt null if the event waits for an operator
 * @param parked number of events that are parked behind the first one, at most {@link #MOST_COUNTED}
 */
public record BlockedKey(
        String key,
        String aggregateType,
        UUID id,
        String type,
        String topic,
        Cause cause,
        @Nullable String error,
        int attempts,
        @Nullable Instant nextAttemptAt,
        Instant createdAt,
        int parked) {

    /** Parked events of a key are counted up to this number. */
    public static final int MOST_COUNTED = 1_000;

    /** Why the first event of the key is not published. */
    public enum Cause {
        RETRYING,
        DEAD_LETTER,
        PAUSED,
        /** A relay is sending the event again now. */
        CLAIMED
    }
}

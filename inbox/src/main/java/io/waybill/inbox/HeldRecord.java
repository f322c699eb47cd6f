package io.waybill.inbox;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that a consumer group has received and not finished, as operators see it.
 *
 * @param position the order within the entity
 * @param attempts number of failed attempts
 * @param nextAttemptAt null while the event is parked
 * @param error the last failure; null if the event has not failed
 */
public record HeldRecord(
        String group,
        UUID eventId,
        long position,
        State state,
        String type,
        String entityId,
        int attempts,
        @Nullable Instant nextAttemptAt,
        @Nullable String error,
        Instant heldAt,
        String topic,
        int partition,
        long offset) {

    /** Why the event is held. */
    public enum State {
        /** It failed and is retried. */
        RETRY,
        /** It waits behind an earlier event of its entity. */
        PARKED,
        /** It waits for the previous version of its entity. */
        GAP
    }
}

package io.waybill.admin;

import io.waybill.Event;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event and its state.
 *
 * @param retryCount number of failed attempts
 * @param nextAttemptAt time of the next attempt, if the event waits for a retry
 * @param lockedBy the relay that has claimed the event
 * @param settledAt when the event was published, became a dead letter or was discarded
 */
public record EventRecord(
        Event event,
        EventState state,
        int lane,
        long position,
        int retryCount,
        Instant createdAt,
        @Nullable Instant nextAttemptAt,
        @Nullable String lastError,
        @Nullable String lockedBy,
        @Nullable Instant lockedUntil,
        @Nullable Instant settledAt) {}

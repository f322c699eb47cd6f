package io.waybill.admin;

import io.waybill.Event;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event and what has become of it.
 *
 * @param retryCount failed attempts
 * @param nextAttemptAt when it is tried again, for an event that waits after a failure
 * @param lockedBy the relay that has claimed it
 * @param settledAt when it was published, given up on or discarded
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

package io.waybill.inbox;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The inbox of one group at one moment, computed from its rows alone: right even when no consumer runs.
 *
 * @param retrying events that failed and wait for their next attempt
 * @param parked events that wait behind one of these, or for the version before them
 * @param oldestAge how long the oldest of both has been waiting, zero when there is none
 * @param lastProcessedAt null when nothing has been processed within the retention
 */
public record InboxStatus(
        String group,
        long retrying,
        long parked,
        long deadLetters,
        Duration oldestAge,
        @Nullable Instant lastProcessedAt) {}

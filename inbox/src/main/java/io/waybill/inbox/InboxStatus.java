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
 * @param pausedConsumers consumers of the group that are paused because the events they tried one after the other all failed
 * @param pausedSince begin of the longest of these pauses, null when there is none
 * @param pauseReason why, null when there is none
 */
public record InboxStatus(
        String group,
        long retrying,
        long parked,
        long deadLetters,
        Duration oldestAge,
        @Nullable Instant lastProcessedAt,
        long pausedConsumers,
        @Nullable Instant pausedSince,
        @Nullable String pauseReason) {}

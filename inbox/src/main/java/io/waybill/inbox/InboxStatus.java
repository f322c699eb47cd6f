package io.waybill.inbox;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The inbox of one group at one moment. It is computed only from database rows, so it is correct even if no consumer runs.
 *
 * @param retrying number of events that failed and wait for their next attempt
 * @param parked number of events that wait behind a retrying event, or for the version before them
 * @param oldestAge how long the oldest retrying or parked event has been waiting; zero if there is none
 * @param lastProcessedAt null if no event was processed within the retention
 * @param pausedConsumers number of consumers of the group that are paused because several events in a row failed
 * @param pausedSince when the longest of these pauses began; null if there is none
 * @param pauseReason the reason of that pause; null if there is none
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

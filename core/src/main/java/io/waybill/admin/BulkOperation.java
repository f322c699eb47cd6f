package io.waybill.admin;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An action on all events that match a filter.
 *
 * @param total number of matching events when the operation was created, at most {@link #MOST_COUNTED}
 * @param done number of changed events
 * @param failed number of events that could not be changed
 * @param skipped number of events that were no longer in the required state
 * @param arrivedSince number of matching events that appeared after the operation was created, at most {@link #MOST_COUNTED}. The
 *     operation does not change them. Counted when it ends
 * @param ratePerSecond the largest number of events to change per second; 0 if unlimited
 * @param error why the operation failed
 */
public record BulkOperation(
        UUID id,
        Kind kind,
        EventFilter filter,
        String actor,
        String reason,
        State state,
        long total,
        long done,
        long failed,
        long skipped,
        long arrivedSince,
        int ratePerSecond,
        Instant createdAt,
        @Nullable Instant endedAt,
        @Nullable String error) {

    /** Matching events are counted up to this number. */
    public static final int MOST_COUNTED = 100_000;

    /** What an operation does with each event. */
    public enum Kind {
        REPLAY,
        DISCARD,
        /** Makes events that wait for a retry due now. */
        RETRY
    }

    public enum State {
        /** Counted only; changes nothing until it is confirmed. */
        DRAFT,
        /** Waits for a runner. */
        CONFIRMED,
        RUNNING,
        DONE,
        CANCELLED,
        FAILED;

        public boolean ended() {
            return this == DONE || this == CANCELLED || this == FAILED;
        }
    }

    /** What happened to one event of an operation. */
    public record Result(
            UUID event, Outcome outcome, @Nullable String detail) {}

    public enum Outcome {
        DONE,
        FAILED,
        SKIPPED
    }
}

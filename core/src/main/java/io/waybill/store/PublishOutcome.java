package io.waybill.store;

import java.time.Duration;

/** What became of a claimed event. */
public sealed interface PublishOutcome {
    ClaimedEvent claimed();

    /** The broker has it. */
    record Published(ClaimedEvent claimed) implements PublishOutcome {}

    /**
     * Failed; due again after {@code delay} in database time. Later events of its key wait.
     *
     * @param counted whether the attempt was the event's own fault and counts towards its limit
     */
    record Retry(ClaimedEvent claimed, Duration delay, String error, boolean counted) implements PublishOutcome {}

    /** Not sent, because an earlier event of its key failed. */
    record Parked(ClaimedEvent claimed) implements PublishOutcome {}

    /** Not sent, for no fault of its own: an outage, a stop. Exactly as before the claim. */
    record Released(ClaimedEvent claimed) implements PublishOutcome {}

    /**
     * Given up on and kept for a person.
     *
     * @param blocksKey whether later events of the key wait for that person's decision
     */
    record Dead(ClaimedEvent claimed, String error, boolean blocksKey) implements PublishOutcome {}
}

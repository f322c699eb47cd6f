package io.waybill.store;

import java.time.Duration;

/** What became of a claimed event. */
public sealed interface Outcome {
    Claimed claimed();

    /** The broker has it. */
    record Published(Claimed claimed) implements Outcome {}

    /**
     * Failed; due again after {@code delay} in database time. Later events of its key wait.
     *
     * @param counted whether the attempt was the event's own fault and counts towards its limit
     */
    record Retry(Claimed claimed, Duration delay, String error, boolean counted) implements Outcome {}

    /** Not sent, because an earlier event of its key failed. */
    record Parked(Claimed claimed) implements Outcome {}

    /** Not sent, for no fault of its own: an outage, a stop. Exactly as before the claim. */
    record Released(Claimed claimed) implements Outcome {}

    /**
     * Given up on and kept for a person.
     *
     * @param blocksKey whether later events of the key wait for that person's decision
     */
    record Dead(Claimed claimed, String error, boolean blocksKey) implements Outcome {}
}

package io.waybill.store;

import java.time.Duration;

/** The outcome of a claimed event. */
public sealed interface PublishOutcome {
    ClaimedEvent claimed();

    /** The broker has acknowledged the event. */
    record Published(ClaimedEvent claimed) implements PublishOutcome {}

    /**
     * The attempt failed. The event is due again after {@code delay}, in database time. Later events of its key wait.
     *
     * @param counted whether the attempt counts towards the limit of the event
     */
    record Retry(ClaimedEvent claimed, Duration delay, String error, boolean counted) implements PublishOutcome {}

    /** The event was not sent, because an earlier event of its key failed. */
    record Parked(ClaimedEvent claimed) implements PublishOutcome {}

    /** The event was not sent, because of an outage or a shutdown. Its state is the same as before the claim. */
    record Released(ClaimedEvent claimed) implements PublishOutcome {}

    /**
     * The event became a dead letter, which is kept for operators.
     *
     * @param blocksKey whether later events of the key wait until an operator decides
     */
    record Dead(ClaimedEvent claimed, String error, boolean blocksKey) implements PublishOutcome {}
}

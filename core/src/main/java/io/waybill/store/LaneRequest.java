package io.waybill.store;

import java.util.List;

/**
 * The part of an {@link OutboxStore#advance} call that concerns one lane.
 *
 * @param outcomes the outcomes of the last batch of the lane, or empty
 * @param limit maximum number of events to claim; 0 to settle only
 * @param bytes maximum size of the claimed payloads. The last event may exceed it, so that a large event can be claimed
 */
public record LaneRequest(Lease lease, List<PublishOutcome> outcomes, int limit, long bytes) {
    /** Default size limit of a claim: 32 MB. */
    public static final long DEFAULT_BYTES = 32L << 20;

    public LaneRequest(Lease lease, List<PublishOutcome> outcomes, int limit) {
        this(lease, outcomes, limit, DEFAULT_BYTES);
    }

    /** Whether there is nothing to settle and nothing to claim. The lease is not checked then. */
    public boolean idle() {
        return outcomes.isEmpty() && limit == 0;
    }
}

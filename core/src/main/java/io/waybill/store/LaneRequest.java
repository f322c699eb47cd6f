package io.waybill.store;

import java.util.List;

/**
 * What a relay asks of {@link OutboxStore#advance} for one of its lanes.
 *
 * @param outcomes one for each event of the lane's last batch, or empty
 * @param limit most events to claim; 0 to settle only
 * @param bytes most bytes of payloads to claim. The last claimed event may exceed it, so a large event is claimed too
 */
public record LaneRequest(Lease lease, List<PublishOutcome> outcomes, int limit, long bytes) {
    /** As much as a claim holds in memory unless told otherwise: 32 MB. */
    public static final long DEFAULT_BYTES = 32L << 20;

    public LaneRequest(Lease lease, List<PublishOutcome> outcomes, int limit) {
        this(lease, outcomes, limit, DEFAULT_BYTES);
    }

    /** Nothing to settle and nothing to claim: not even the lease is looked at. */
    public boolean idle() {
        return outcomes.isEmpty() && limit == 0;
    }
}

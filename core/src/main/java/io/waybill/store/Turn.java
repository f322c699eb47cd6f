package io.waybill.store;

import java.util.List;

/**
 * What a relay asks of {@link OutboxStore#advance} for one of its lanes.
 *
 * @param outcomes one for each event of the lane's last batch, or empty
 * @param limit most events to claim; 0 to settle only
 */
public record Turn(Lease lease, List<Outcome> outcomes, int limit) {
    /** Nothing to settle and nothing to claim: not even the lease is looked at. */
    public boolean idle() {
        return outcomes.isEmpty() && limit == 0;
    }
}

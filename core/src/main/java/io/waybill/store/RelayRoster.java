package io.waybill.store;

import java.time.Duration;
import java.util.List;

/**
 * The live relays and the owners of all lanes at the time of a heartbeat.
 *
 * @param relays sorted names of all live relays, including the caller
 * @param serving sorted names of the live relays that reported to be serving, see {@link RelayReport}
 */
public record RelayRoster(List<String> relays, List<String> serving, List<Ownership> lanes) {

    /** Creates a roster in which all relays are serving. */
    public RelayRoster(List<String> relays, List<Ownership> lanes) {
        this(relays, relays, lanes);
    }

    /**
     * @param owner empty if the lane is free
     * @param remaining remaining time of the lease; zero or less if it has expired and any relay may acquire the lane
     */
    public record Ownership(int lane, String owner, long fence, Duration remaining) {
        public boolean available() {
            return owner.isEmpty() || remaining.isZero() || remaining.isNegative();
        }
    }
}

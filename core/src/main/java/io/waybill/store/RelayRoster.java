package io.waybill.store;

import java.time.Duration;
import java.util.List;

/**
 * Who is there and who owns what, as the database saw it at a heartbeat.
 *
 * @param relays names of all live relays, sorted; the caller is among them
 * @param serving of these, the relays that reach their broker, sorted
 */
public record RelayRoster(List<String> relays, List<String> serving, List<Ownership> lanes) {

    /** Of relays that all reach their broker. */
    public RelayRoster(List<String> relays, List<Ownership> lanes) {
        this(relays, relays, lanes);
    }

    /**
     * @param owner empty when the lane is free
     * @param remaining time left of the lease; zero or less when it has expired and anyone may take it
     */
    public record Ownership(int lane, String owner, long fence, Duration remaining) {
        public boolean available() {
            return owner.isEmpty() || remaining.isZero() || remaining.isNegative();
        }
    }
}

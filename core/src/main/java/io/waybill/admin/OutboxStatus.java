package io.waybill.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The outbox at one moment. It is computed only from database rows, so it is correct even if no relay runs.
 *
 * @param pending number of committed events that are neither published nor dead letters: new, claimed, retrying or parked
 * @param claimed number of pending events that a relay has claimed
 * @param retrying number of pending events that failed at least once and wait for the next attempt
 * @param parked number of pending events that wait behind a failing event of their key
 * @param blockedKeys number of keys whose first event waits for a retry or for an operator
 * @param oldestAge age of the oldest pending event; zero if there is none
 * @param publishedPerSecond sum of the rates that live relays report
 * @param warnings problems that the counts do not show, one sentence each; usually empty
 */
public record OutboxStatus(
        Instant at,
        long pending,
        long claimed,
        long retrying,
        long parked,
        long blockedKeys,
        long deadLetters,
        Duration oldestAge,
        double publishedPerSecond,
        List<RelayStatus> relays,
        List<LaneStatus> lanes,
        List<String> warnings) {

    /**
     * @param live whether the last heartbeat is younger than the lease
     * @param serving whether the relay's broker answers; a relay that is not serving releases its lanes to other relays
     */
    public record RelayStatus(
            String name,
            String place,
            String version,
            Instant startedAt,
            Duration sinceHeartbeat,
            boolean live,
            boolean serving,
            int lanes,
            long publishedTotal,
            double publishedPerSecond) {}

    /**
     * @param owner empty if the lane is free or its lease has expired
     * @param waiting whether events wait for their first attempt
     * @param lag age of the oldest event that waits for its first attempt; zero if there is none
     */
    public record LaneStatus(int lane, String owner, long fence, Duration remaining, boolean waiting, Duration lag) {}

    public long liveRelays() {
        return relays.stream().filter(RelayStatus::live).count();
    }
}

package io.waybill.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The outbox at one moment, computed from its rows alone: right even when no relay runs.
 *
 * @param pending everything committed that is neither published nor given up on: waiting, claimed, to be retried, parked
 * @param claimed of these, claimed by a relay
 * @param retrying of these, failed at least once and waiting for the next attempt
 * @param parked of these, waiting behind a failing event of their key
 * @param blockedKeys keys that do not move because their first event waits for a retry or for a person
 * @param oldestAge age of the oldest pending event, zero when there is none
 * @param publishedPerSecond as the live relays report it
 * @param warnings what the counts cannot tell and a person should know, one sentence each; usually empty
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

    /** A status without warnings. */
    public OutboxStatus(
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
            List<LaneStatus> lanes) {
        this(
                at,
                pending,
                claimed,
                retrying,
                parked,
                blockedKeys,
                deadLetters,
                oldestAge,
                publishedPerSecond,
                relays,
                lanes,
                List.of());
    }

    /**
     * @param live whether its heartbeat is younger than its lease
     * @param serving whether it reaches its broker; a relay that does not releases its lanes to others
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
     * @param owner empty when nobody owns the lane, or its lease has expired
     * @param waiting whether events wait for their first attempt
     * @param lag how long the oldest of these has waited; zero when there are none
     */
    public record LaneStatus(int lane, String owner, long fence, Duration remaining, boolean waiting, Duration lag) {}

    public long liveRelays() {
        return relays.stream().filter(RelayStatus::live).count();
    }
}

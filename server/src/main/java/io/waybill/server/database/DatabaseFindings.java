package io.waybill.server.database;

import io.waybill.admin.OutboxStatus;
import io.waybill.inbox.InboxStatus;
import io.waybill.server.problem.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The findings of {@code waybill doctor} that every kind of database has: its clock, the relays, the lanes and the consumer groups. */
public final class DatabaseFindings {
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);
    private static final Duration LAG = Duration.ofMinutes(1);

    private DatabaseFindings() {}

    /** @param server reads the time of the server */
    public static Finding clock(Supplier<Instant> server) {
        Instant before = Instant.now();
        Instant theirs = server.get();
        Instant after = Instant.now();
        Instant ours = before.plus(Duration.between(before, after).dividedBy(2));
        Duration distance = Duration.between(ours, theirs).abs();
        String detail = distance.toMillis() + " ms between this machine and the database";
        return distance.compareTo(CLOCK_TOLERANCE) <= 0
                ? Finding.ok("clock", detail)
                : Finding.warning(
                        "clock",
                        detail,
                        "Run NTP on both machines. Waybill uses database time only, but ages and logs will be misleading.");
    }

    public static List<Finding> relays(OutboxStatus status) {
        List<Finding> findings = new ArrayList<>();
        if (status.liveRelays() == 0) {
            findings.add(Finding.warning(
                    "relay",
                    "No relay is running; pending events: " + status.pending() + ".",
                    "Start one with `waybill relay`."));
        } else {
            findings.add(Finding.ok("relay", status.liveRelays() + " live; pending events: " + status.pending()));
        }
        for (OutboxStatus.LaneStatus lane : status.lanes()) {
            if (lane.lag().compareTo(LAG) > 0) {
                findings.add(
                        Finding.warning(
                                "lane " + lane.lane(),
                                "Lags by " + lane.lag().toMinutes() + " minutes, owner "
                                        + (lane.owner().isEmpty() ? "none" : lane.owner())
                                        + "; retention deletes only events of this lane before its oldest waiting event.",
                                lane.owner().isEmpty()
                                        ? "Start a relay: no relay owns this lane."
                                        : "Check the log of its relay. Stop that relay to let another relay take over the lane."));
            }
        }
        if (status.deadLetters() > 0) {
            findings.add(
                    Finding.warning("dead letters", givenUp(status.deadLetters()), "See `waybill dead-letters list`."));
        }
        return findings;
    }

    public static List<Finding> inbox(List<InboxStatus> groups) {
        List<Finding> findings = new ArrayList<>();
        for (InboxStatus group : groups) {
            if (group.pausedConsumers() > 0) {
                findings.add(
                        Finding.warning(
                                "inbox " + group.group(),
                                "Paused since " + group.pausedSince() + ": " + group.pauseReason(),
                                "Fix the resource that its handlers depend on. The group tries one event at a time and resumes when one succeeds."));
            }
            if (group.deadLetters() > 0) {
                findings.add(Finding.warning(
                        "inbox " + group.group(),
                        givenUp(group.deadLetters()),
                        "See `waybill inbox dead-letters list`."));
            }
        }
        return findings;
    }

    private static String givenUp(long deadLetters) {
        return deadLetters == 1 ? "1 dead letter needs a decision." : deadLetters + " dead letters need a decision.";
    }
}

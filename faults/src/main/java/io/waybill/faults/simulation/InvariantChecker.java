package io.waybill.faults.simulation;

import io.waybill.admin.EventState;
import io.waybill.admin.OutboxPause;
import io.waybill.relay.OnDeadLetter;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Records all leases, deliveries and settlements and checks them against the guarantees. */
final class InvariantChecker {
    /** An event that crashes its relays becomes a dead letter only after this many crashes, even if fewer attempts are configured. */
    private static final int MIN_CRASHES = 5;

    private final Scheduler scheduler;
    private final RetryPolicy retry;
    private final Map<Integer, Lease> owners = new HashMap<>();
    private final Map<Integer, Long> fences = new HashMap<>();
    private final Map<Integer, Long> expiry = new HashMap<>();
    private final Map<UUID, Integer> rejections = new HashMap<>();
    private final Map<UUID, Integer> takeOvers = new HashMap<>();
    private final Set<UUID> poisoned = new HashSet<>();
    private final List<Row> log = new ArrayList<>();
    private final Set<UUID> arrived = new HashSet<>();
    private final Set<UUID> undone = new HashSet<>();
    private int duplicates;
    private int together;

    InvariantChecker(Scheduler scheduler, RetryPolicy retry) {
        this.scheduler = scheduler;
        this.retry = retry;
    }

    int duplicates() {
        return duplicates;
    }

    /** @param claims the claims of one transaction, by lane */
    void claimed(List<List<ClaimedEvent>> claims) {
        if (claims.stream().filter(lane -> !lane.isEmpty()).count() > 1) {
            together++;
        }
    }

    int together() {
        return together;
    }

    int deliveries() {
        return log.size();
    }

    void arrived(Row row) {
        log.add(row);
        if (!arrived.add(row.id())) {
            duplicates++;
        }
        if (!row.committed) {
            scheduler.violation("ghost: " + row + " was published before it was committed");
        }
    }

    void undone(List<Row> rows) {
        rows.forEach(row -> undone.add(row.id()));
    }

    void rejected(Row row, boolean permanently) {
        rejections.merge(row.id(), 1, Integer::sum);
        if (permanently) {
            poisoned.add(row.id());
        }
        int tried = rejections.getOrDefault(row.id(), 0);
        int most = Math.min(
                Math.max(retry.maxAttempts(), MIN_CRASHES), retry.maxAttempts() + takeOvers.getOrDefault(row.id(), 0));
        if (tried > most) {
            scheduler.violation("attempts: " + row + " was tried " + tried + " times, not " + most);
        }
    }

    /** An operator has reset the attempts of this event. */
    void replayed(Row row) {
        rejections.remove(row.id());
        takeOvers.remove(row.id());
    }

    void renewed(int lane, long until) {
        expiry.put(lane, until);
    }

    void acquired(Lease lease, long until, List<Row> takenOver) {
        Lease before = owners.get(lease.lane());
        long expires = expiry.getOrDefault(lease.lane(), 0L);
        if (before != null && expires > scheduler.now()) {
            scheduler.violation("lease: " + lease + " was taken from " + before.relay() + ", whose lease ran on for "
                    + Duration.ofNanos(expires - scheduler.now()));
        }
        if (fences.getOrDefault(lease.lane(), 0L) >= lease.fence()) {
            scheduler.violation("fence: " + lease + " had an owner before");
        }
        owners.put(lease.lane(), lease);
        fences.put(lease.lane(), lease.fence());
        expiry.put(lease.lane(), until);
        takenOver.forEach(row -> takeOvers.merge(row.id(), 1, Integer::sum));
    }

    void released(Lease lease) {
        owners.remove(lease.lane(), lease);
    }

    void left(String relay) {
        owners.values().removeIf(lease -> lease.relay().equals(relay));
    }

    /** Records that the store accepted a settlement or a claim. */
    void accepted(Lease lease) {
        if (!lease.equals(owners.get(lease.lane()))) {
            scheduler.violation("fence: a write of " + lease.relay() + " was accepted, " + lease + " is over");
        }
    }

    /** Checks the relay's decision against its retry policy. */
    void decided(PublishOutcome outcome, OnDeadLetter onDeadLetter) {
        int failures = outcome.claimed().retryCount();
        if (outcome instanceof PublishOutcome.Retry held && held.error().startsWith(OutboxPause.HELD)) {
            if (held.counted()) {
                scheduler.violation("policy: a pause counted an attempt of " + outcome.claimed());
            }
        } else if (outcome instanceof PublishOutcome.Retry retried) {
            int counted = failures + (retried.counted() ? 1 : 3);
            double nominal = nominal(counted).toMillis();
            double delay = retried.delay().toMillis();
            if (delay < nominal * 0.8 - 1 || delay > nominal * 1.2 + 1) {
                scheduler.violation("policy: delay " + retried.delay() + " after failure " + counted);
            }
            if (retried.counted() && retry.exhausted(failures + 1)) {
                scheduler.violation("policy: one more attempt after failure " + (failures + 1));
            }
        } else if (outcome instanceof PublishOutcome.Dead dead) {
            boolean exhausted = retry.exhausted(failures + 1) || failures >= MIN_CRASHES;
            if (!exhausted && !poisoned.contains(dead.claimed().event().id())) {
                scheduler.violation("policy: given up after failure " + (failures + 1) + ": " + dead.error());
            }
            if (dead.blocksKey() != (onDeadLetter == OnDeadLetter.BLOCK)) {
                scheduler.violation("policy: dead letter blocks its key: " + dead.blocksKey());
            }
        }
    }

    Duration nominal(int failures) {
        double millis = retry.firstDelay().toMillis() * Math.pow(2, Math.max(0, failures - 1));
        return Duration.ofMillis(
                (long) Math.min(millis, (double) retry.longestDelay().toMillis()));
    }

    /** Checks the final state, after all events were published. */
    void checkFinalState(List<Row> rows, boolean calm) {
        for (Row row : log) {
            if (undone.contains(row.id())) {
                scheduler.violation("ghost: " + row + " was published, but a crash undid its commit");
            }
        }
        for (Row row : rows) {
            boolean dead = row.state == EventState.DEAD_LETTER || row.state == EventState.DISCARDED;
            if (!dead && !arrived.contains(row.id())) {
                scheduler.violation("lost: " + row);
            }
            int counted = rejections.getOrDefault(row.id(), 0) + takeOvers.getOrDefault(row.id(), 0);
            if (row.retryCount > counted + (row.state == EventState.DEAD_LETTER ? 1 : 0)) {
                scheduler.violation("attempts: " + row + ", but " + counted + " rejections and crashes of its relays");
            }
        }
        order(rows);
        if (calm && duplicates > 0) {
            scheduler.violation("duplicates: " + duplicates + " without a fault");
        }
    }

    /** The first delivery of an event must follow the first deliveries of all earlier events of its key, except dead letters. */
    private void order(List<Row> rows) {
        Set<UUID> seen = new HashSet<>();
        for (Row row : log) {
            if (seen.add(row.id()) && row.state == EventState.PUBLISHED) {
                for (Row earlier : rows) {
                    if (earlier.position < row.position
                            && earlier.state == EventState.PUBLISHED
                            && earlier.key().equals(row.key())
                            && !seen.contains(earlier.id())) {
                        scheduler.violation("misordered: " + row + " came before " + earlier);
                    }
                }
            }
        }
    }
}

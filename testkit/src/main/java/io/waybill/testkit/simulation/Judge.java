package io.waybill.testkit.simulation;

import io.waybill.admin.EventState;
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

/** Keeps its own books about what happened and compares them with what may happen. */
final class Judge {
    /** However low the limit of attempts: relays that end with an event give it up only then. */
    private static final int DEATHS_AS_PROOF = 5;

    private final Conductor conductor;
    private final RetryPolicy retry;
    private final Map<Integer, Lease> owners = new HashMap<>();
    private final Map<Integer, Long> fences = new HashMap<>();
    private final Map<Integer, Long> expiry = new HashMap<>();
    private final Map<UUID, Integer> refusals = new HashMap<>();
    private final Map<UUID, Integer> takeOvers = new HashMap<>();
    private final Set<UUID> poisoned = new HashSet<>();
    private final List<Row> log = new ArrayList<>();
    private final Set<UUID> arrived = new HashSet<>();
    private final Set<UUID> undone = new HashSet<>();
    private int duplicates;
    private int together;

    Judge(Conductor conductor, RetryPolicy retry) {
        this.conductor = conductor;
        this.retry = retry;
    }

    int duplicates() {
        return duplicates;
    }

    /** In one transaction, by lane. */
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
            conductor.violation("ghost: " + row + " was published before it was committed");
        }
    }

    void undone(List<Row> rows) {
        rows.forEach(row -> undone.add(row.id()));
    }

    void refused(Row row, boolean forGood) {
        refusals.merge(row.id(), 1, Integer::sum);
        if (forGood) {
            poisoned.add(row.id());
        }
        int tried = refusals.getOrDefault(row.id(), 0);
        int most = Math.min(
                Math.max(retry.maxAttempts(), DEATHS_AS_PROOF),
                retry.maxAttempts() + takeOvers.getOrDefault(row.id(), 0));
        if (tried > most) {
            conductor.violation("attempts: " + row + " was tried " + tried + " times, not " + most);
        }
    }

    /** A person has reset its count. */
    void replayed(Row row) {
        refusals.remove(row.id());
        takeOvers.remove(row.id());
    }

    void renewed(int lane, long until) {
        expiry.put(lane, until);
    }

    void acquired(Lease lease, long until, List<Row> takenOver) {
        Lease before = owners.get(lease.lane());
        long expires = expiry.getOrDefault(lease.lane(), 0L);
        if (before != null && expires > conductor.now()) {
            conductor.violation("lease: " + lease + " was taken from " + before.relay() + ", whose lease ran on for "
                    + Duration.ofNanos(expires - conductor.now()));
        }
        if (fences.getOrDefault(lease.lane(), 0L) >= lease.fence()) {
            conductor.violation("fence: " + lease + " had an owner before");
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

    /** The store has accepted a settlement or a claim. */
    void accepted(Lease lease) {
        if (!lease.equals(owners.get(lease.lane()))) {
            conductor.violation("fence: a write of " + lease.relay() + " was accepted, " + lease + " is over");
        }
    }

    /** Whether the relay follows its policy, given what the store has told it about the event. */
    void decided(PublishOutcome outcome, OnDeadLetter onDeadLetter) {
        int failures = outcome.claimed().retryCount();
        if (outcome instanceof PublishOutcome.Retry retried) {
            int counted = failures + (retried.counted() ? 1 : 3);
            double nominal = nominal(counted).toMillis();
            double delay = retried.delay().toMillis();
            if (delay < nominal * 0.8 - 1 || delay > nominal * 1.2 + 1) {
                conductor.violation("policy: delay " + retried.delay() + " after failure " + counted);
            }
            if (retried.counted() && retry.exhausted(failures + 1)) {
                conductor.violation("policy: one more attempt after failure " + (failures + 1));
            }
        } else if (outcome instanceof PublishOutcome.Dead dead) {
            boolean exhausted = retry.exhausted(failures + 1) || failures >= DEATHS_AS_PROOF;
            if (!exhausted && !poisoned.contains(dead.claimed().event().id())) {
                conductor.violation("policy: given up after failure " + (failures + 1) + ": " + dead.error());
            }
            if (dead.blocksKey() != (onDeadLetter == OnDeadLetter.BLOCK)) {
                conductor.violation("policy: dead letter blocks its key: " + dead.blocksKey());
            }
        }
    }

    Duration nominal(int failures) {
        double millis = retry.firstDelay().toMillis() * Math.pow(2, Math.max(0, failures - 1));
        return Duration.ofMillis(
                (long) Math.min(millis, (double) retry.longestDelay().toMillis()));
    }

    /** At rest, everything drained. */
    void verdict(List<Row> rows, boolean calm) {
        for (Row row : log) {
            if (undone.contains(row.id())) {
                conductor.violation("ghost: " + row + " was published, and its commit undone by a crash");
            }
        }
        for (Row row : rows) {
            boolean dead = row.state == EventState.DEAD_LETTER || row.state == EventState.DISCARDED;
            if (!dead && !arrived.contains(row.id())) {
                conductor.violation("lost: " + row);
            }
            int counted = refusals.getOrDefault(row.id(), 0) + takeOvers.getOrDefault(row.id(), 0);
            if (row.retryCount > counted + (row.state == EventState.DEAD_LETTER ? 1 : 0)) {
                conductor.violation("attempts: " + row + ", but " + counted + " refusals and ends of its relays");
            }
        }
        order(rows);
        if (calm && duplicates > 0) {
            conductor.violation("duplicates: " + duplicates + " although nothing went wrong");
        }
    }

    /** The first delivery of an event comes after those of all earlier ones of its key, dead letters apart. */
    private void order(List<Row> rows) {
        Set<UUID> seen = new HashSet<>();
        for (Row row : log) {
            if (seen.add(row.id()) && row.state == EventState.PUBLISHED) {
                for (Row earlier : rows) {
                    if (earlier.position < row.position
                            && earlier.state == EventState.PUBLISHED
                            && earlier.key().equals(row.key())
                            && !seen.contains(earlier.id())) {
                        conductor.violation("misordered: " + row + " came before " + earlier);
                    }
                }
            }
        }
    }
}

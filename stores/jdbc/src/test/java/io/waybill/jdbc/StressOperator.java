package io.waybill.jdbc;

import io.waybill.admin.DeadLetters;
import io.waybill.store.RelayReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The work beside the relays of a stress test. An operator replays and discards dead letters that block their keys, of many lanes at
 * once and in random order. Heartbeats renew the leases. Old events are pruned.
 */
record StressOperator(PostgresBackend backend, Random random, Collection<UUID> discarded, BooleanSupplier done)
        implements Callable<Void> {
    /** Long enough that the cursors under comparison have read the events that are pruned. */
    private static final Duration RETENTION = Duration.ofSeconds(4);

    private static final String BLOCKING =
            "SELECT id FROM outbox_held WHERE state = 'DEAD_LETTER' AND next_attempt_at IS NOT NULL";

    @Override
    public Void call() {
        while (!done.getAsBoolean()) {
            decide(new ArrayList<>(
                    backend.query(BLOCKING).lines().map(UUID::fromString).toList()));
            backend.query("SELECT DISTINCT owner FROM outbox_lanes WHERE owner IS NOT NULL")
                    .lines()
                    .forEach(owner -> backend.store()
                            .heartbeat(new RelayReport(owner, "here", "test", 0, 0), Duration.ofHours(1)));
            backend.store().prune(RETENTION, 200);
            LockSupport.parkNanos(20_000_000);
        }
        return null;
    }

    private void decide(List<UUID> dead) {
        Collections.shuffle(dead, random);
        List<UUID> some = dead.subList(0, dead.isEmpty() ? 0 : random.nextInt(dead.size()) + 1);
        DeadLetters.Decision decision = new DeadLetters.Decision("ann", "stress");
        if (random.nextBoolean()) {
            backend.deadLetters().replay(some, decision);
        } else {
            discarded.addAll(backend.deadLetters().discard(some, decision));
        }
    }
}

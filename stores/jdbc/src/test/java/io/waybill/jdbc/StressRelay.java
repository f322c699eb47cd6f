package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.store.Claimed;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.Outcome;
import io.waybill.store.RelayReport;
import io.waybill.testkit.history.Delivered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Delivers the events of some lanes, with every mishap a relay may meet: failures, outages, deaths, lost answers. */
final class StressRelay implements Callable<Void> {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final PostgresBackend backend;
    private final OutboxStore store;
    private final String name;
    private final Random random;
    private final Collection<Delivered> delivered;
    private final BooleanSupplier done;
    private final Map<Integer, Lease> leases = new HashMap<>();
    private int lives;

    StressRelay(
            PostgresBackend backend,
            String name,
            List<Integer> lanes,
            Random random,
            Collection<Delivered> delivered,
            BooleanSupplier done) {
        this.backend = backend;
        this.store = backend.store();
        this.name = name;
        this.random = random;
        this.delivered = delivered;
        this.done = done;
        lanes.forEach(this::take);
    }

    private void take(int lane) {
        leases.put(
                lane,
                store.acquire(name + "-" + ++lives, lane, LEASE).orElseThrow(() -> new AssertionError("lane " + lane)));
    }

    private Lease lease(int lane) {
        return requireNonNull(leases.get(lane));
    }

    @Override
    public Void call() {
        store.heartbeat(new RelayReport(name, "here", "test", 0, 0), LEASE);
        while (!done.getAsBoolean()) {
            for (int lane : store.ready(leases.keySet())) {
                work(lane);
            }
            LockSupport.parkNanos(1_000_000);
        }
        return null;
    }

    private void work(int lane) {
        List<Outcome> outcomes = List.of();
        for (int round = 0; round < 20; round++) {
            Lease lease = lease(lane);
            List<Claimed> claims = store.advance(lease, outcomes, 1 + random.nextInt(100));
            if (claims.isEmpty()) {
                return;
            }
            outcomes = deliver(claims);
            switch (random.nextInt(40)) {
                case 0 -> { // it dies with the batch unsettled
                    backend.execute("UPDATE outbox_lanes SET expires_at = now() - interval '1s' WHERE lane = " + lane);
                    take(lane);
                    outcomes = List.of();
                }
                case 1 -> { // committed, and the answer gets lost
                    store.advance(lease, outcomes, 50);
                    store.reconcile(lease, outcomes);
                    outcomes = List.of();
                }
                case 2 -> { // not committed
                    store.reconcile(lease, outcomes);
                    outcomes = List.of();
                }
                default -> {}
            }
        }
        store.advance(lease(lane), outcomes, 0);
    }

    private List<Outcome> deliver(List<Claimed> claims) {
        List<Outcome> outcomes = new ArrayList<>();
        Map<String, Boolean> stopped = new HashMap<>(); // by key, whether parked or released
        boolean outage = random.nextInt(10) == 0;
        for (Claimed claimed : claims) {
            String key = claimed.event().key();
            if (!stopped.containsKey(key) && outage && random.nextInt(3) == 0) {
                stopped.put(key, false);
            }
            Boolean parked = stopped.get(key);
            if (parked != null) {
                outcomes.add(parked ? new Outcome.Parked(claimed) : new Outcome.Released(claimed));
            } else if (random.nextInt(40) == 0) {
                outcomes.add(new Outcome.Retry(claimed, Duration.ofMillis(random.nextInt(20)), "no", true));
                stopped.put(key, true);
            } else if (random.nextInt(300) == 0) {
                // As a relay does: the key goes on when this is recorded, or else a successor might deliver it late.
                outcomes.add(new Outcome.Dead(claimed, "no", false));
                stopped.put(key, false);
            } else {
                delivered.add(
                        new Delivered(claimed.event().id(), key, claimed.event().payload(), Map.of()));
                outcomes.add(new Outcome.Published(claimed));
            }
        }
        return outcomes;
    }
}

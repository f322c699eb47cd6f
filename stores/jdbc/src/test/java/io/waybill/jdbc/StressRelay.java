package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.faults.history.Delivered;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Delivers the events of some lanes, with all mishaps of a relay: failures, outages, deaths and lost answers. */
final class StressRelay implements Callable<Void> {
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final PostgresBackend backend;
    private final OutboxStore store;
    private final String name;
    private final Supplier<StressMishaps> now;
    private final Random random;
    private final Collection<Delivered> delivered;
    private final BooleanSupplier done;
    private final Map<Integer, Lease> leases = new HashMap<>();
    private int lives;

    StressRelay(
            PostgresBackend backend,
            String name,
            List<Integer> lanes,
            Supplier<StressMishaps> mishaps,
            Random random,
            Collection<Delivered> delivered,
            BooleanSupplier done) {
        this.backend = backend;
        this.store = backend.store();
        this.name = name;
        this.now = mishaps;
        this.random = random;
        this.delivered = delivered;
        this.done = done;
        lanes.forEach(this::take);
    }

    /** A heartbeat may briefly lock the lane's row. */
    private void take(int lane) {
        String successor = name + "-" + ++lives;
        long patience = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        Optional<Lease> lease = store.acquire(successor, lane, LEASE);
        while (lease.isEmpty() && System.nanoTime() - patience < 0) {
            lease = store.acquire(successor, lane, LEASE);
        }
        leases.put(lane, lease.orElseThrow(() -> new AssertionError("lane " + lane)));
    }

    private Lease lease(int lane) {
        return requireNonNull(leases.get(lane));
    }

    private boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    @Override
    public Void call() {
        while (!done.getAsBoolean()) {
            Set<Integer> ready = store.ready(leases.keySet());
            if (!ready.isEmpty() && random.nextBoolean()) {
                work(leases.keySet());
            } else {
                ready.forEach(lane -> work(Set.of(lane)));
            }
            LockSupport.parkNanos(1_000_000);
        }
        return null;
    }

    /** Advances all these lanes in one transaction. */
    private void work(Set<Integer> together) {
        StressMishaps mishaps = now.get();
        List<Integer> lanes = List.copyOf(together);
        Map<Integer, List<PublishOutcome>> outcomes = new HashMap<>();
        for (int round = 0; round < 20; round++) {
            List<List<ClaimedEvent>> claims =
                    store.advance(requests(lanes, outcomes, 1 + random.nextInt(mishaps.largestBatch())));
            outcomes.clear();
            if (claims.stream().allMatch(List::isEmpty)) {
                return;
            }
            for (int i = 0; i < lanes.size(); i++) {
                outcomes.put(lanes.get(i), deliver(claims.get(i), mishaps));
            }
            for (int lane : lanes) {
                if (oneIn(mishaps.death())) {
                    die(lane, outcomes.getOrDefault(lane, List.of()));
                    outcomes.remove(lane);
                }
            }
            if (oneIn(mishaps.lostAnswer())) {
                if (random.nextBoolean()) { // the transaction was committed nevertheless
                    store.advance(requests(lanes, outcomes, 50));
                }
                requests(lanes, outcomes, 0).forEach(request -> store.reconcile(request.lease(), request.outcomes()));
                outcomes.clear();
            }
        }
        store.advance(requests(lanes, outcomes, 0));
    }

    private List<LaneRequest> requests(List<Integer> lanes, Map<Integer, List<PublishOutcome>> outcomes, int limit) {
        return lanes.stream()
                .map(lane -> new LaneRequest(lease(lane), outcomes.getOrDefault(lane, List.of()), limit))
                .toList();
    }

    /** Ends with the batch unsettled. Later calls under the old lease are refused. */
    private void die(int lane, List<PublishOutcome> outcomes) {
        backend.execute("UPDATE outbox_lanes SET owner = NULL, expires_at = now() WHERE lane = " + lane);
        Lease lost = lease(lane);
        take(lane);
        assertThatThrownBy(() -> store.advance(lost, outcomes, 10)).isInstanceOf(FencedException.class);
    }

    private List<PublishOutcome> deliver(List<ClaimedEvent> claims, StressMishaps mishaps) {
        List<PublishOutcome> outcomes = new ArrayList<>();
        Map<String, Boolean> stopped = new HashMap<>(); // for each key, whether its events are parked or released
        boolean outage = oneIn(mishaps.outage());
        for (ClaimedEvent claimed : claims) {
            String key = claimed.event().key();
            if (!stopped.containsKey(key) && outage && oneIn(3)) {
                stopped.put(key, false);
            }
            Boolean parked = stopped.get(key);
            if (parked != null) {
                outcomes.add(parked ? new PublishOutcome.Parked(claimed) : new PublishOutcome.Released(claimed));
            } else if (oneIn(mishaps.failure())) {
                outcomes.add(new PublishOutcome.Retry(claimed, Duration.ofMillis(random.nextInt(20)), "no", true));
                stopped.put(key, true);
            } else if (oneIn(mishaps.deadLetter())) {
                boolean blocks = random.nextBoolean();
                outcomes.add(new PublishOutcome.Dead(claimed, "no", blocks));
                // As in a relay: the key continues after this is recorded. Otherwise the next owner might deliver the
                // event too late.
                if (blocks || !mishaps.rash()) {
                    stopped.put(key, blocks);
                }
            } else {
                delivered.add(
                        new Delivered(claimed.event().id(), key, claimed.event().payload(), Map.of()));
                outcomes.add(new PublishOutcome.Published(claimed));
            }
        }
        return outcomes;
    }
}

package io.waybill.testkit.store;

import io.waybill.Event;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/** Performs the steps of a relay one at a time. */
final class StoreDriver {
    static final Duration LEASE = Duration.ofSeconds(30);

    private final StoreBackend backend;

    StoreDriver(StoreBackend backend) {
        this.backend = backend;
    }

    static Event event(String key, int number) {
        return Event.of("order.placed", "Order", key, "{\"n\": " + number + "}");
    }

    static int number(ClaimedEvent claimed) {
        return Integer.parseInt(claimed.event().payload().replaceAll("\\D", ""));
    }

    static List<Integer> numbers(List<ClaimedEvent> claims) {
        return claims.stream().map(StoreDriver::number).toList();
    }

    static List<String> names(List<ClaimedEvent> claims) {
        return claims.stream()
                .map(claimed -> claimed.event().key() + number(claimed))
                .toList();
    }

    RelayRoster beat(String relay) {
        return backend.store().heartbeat(new RelayReport(relay, "here:1", "test", 0, 0), LEASE);
    }

    /** Registers the relay and acquires every lane that is free. */
    Map<Integer, Lease> takeLanes(String relay) {
        Map<Integer, Lease> leases = new TreeMap<>();
        for (RelayRoster.Ownership lane : beat(relay).lanes()) {
            backend.store().acquire(relay, lane.lane(), LEASE).ifPresent(lease -> leases.put(lane.lane(), lease));
        }
        return leases;
    }

    /** Appends each event in its own transaction. */
    void append(Event... events) {
        for (Event event : events) {
            try (StoreBackend.Writer writer = backend.begin()) {
                writer.append(event);
                writer.commit();
            }
        }
    }

    /** Appends events of new keys until one lies in the lane of this event, and returns the name of that one. */
    String appendBeside(ClaimedEvent claimed) {
        for (int n = 0; n < 1_000; n++) {
            Event event = event("beside-" + n + "-", 1);
            append(event);
            if (record(event.id()).lane() == lane(claimed)) {
                return event.key() + 1;
            }
        }
        throw new AssertionError("no key shares a lane with " + claimed);
    }

    void appendTogether(Event... events) {
        try (StoreBackend.Writer writer = backend.begin()) {
            for (Event event : events) {
                writer.append(event);
            }
            writer.commit();
        }
    }

    /** Claims one batch in every lane. */
    List<ClaimedEvent> claim(Map<Integer, Lease> leases) {
        List<ClaimedEvent> claims = new ArrayList<>();
        leases.values().forEach(lease -> claims.addAll(backend.store().advance(lease, List.of(), 100)));
        return claims;
    }

    void settle(Map<Integer, Lease> leases, List<ClaimedEvent> claims, Function<ClaimedEvent, PublishOutcome> decide) {
        leases.forEach((lane, lease) -> {
            List<PublishOutcome> outcomes = claims.stream()
                    .filter(claimed -> lane == lane(claimed))
                    .map(decide)
                    .toList();
            backend.store().advance(lease, outcomes, 0);
        });
    }

    Lease leaseOf(Map<Integer, Lease> leases, ClaimedEvent claimed) {
        Lease lease = leases.get(lane(claimed));
        if (lease == null) {
            throw new AssertionError("no lease for " + claimed);
        }
        return lease;
    }

    private int lane(ClaimedEvent claimed) {
        return record(claimed.event().id()).lane();
    }

    EventRecord record(UUID id) {
        return backend.view().event(id).orElseThrow(() -> new AssertionError("event " + id + " is gone"));
    }

    EventState state(Event event) {
        return record(event.id()).state();
    }

    /** Claims and publishes until no event is left. Returns the events in the order of their claims. */
    List<ClaimedEvent> drain(Map<Integer, Lease> leases) {
        List<ClaimedEvent> all = new ArrayList<>();
        List<ClaimedEvent> batch = claim(leases);
        while (!batch.isEmpty()) {
            all.addAll(batch);
            settle(leases, batch, PublishOutcome.Published::new);
            batch = claim(leases);
        }
        return all;
    }

    /** Claims all events, fails the first one of this key, parks its other events and publishes the events of other keys. */
    void fail(Map<Integer, Lease> lanes, String key, Duration delay) {
        List<ClaimedEvent> claims = claim(lanes);
        settle(lanes, claims, claimed -> {
            if (!claimed.event().key().equals(key)) {
                return new PublishOutcome.Published(claimed);
            }
            return StoreDriver.number(claimed) == 1
                    ? new PublishOutcome.Retry(claimed, delay, "no", true)
                    : new PublishOutcome.Parked(claimed);
        });
    }
}

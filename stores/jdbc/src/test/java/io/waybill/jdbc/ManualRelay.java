package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** A relay that a test controls: it acquires all free lanes, and claims and settles on request. */
final class ManualRelay {
    static final Duration LEASE = Duration.ofSeconds(30);

    private final OutboxStore store;
    private final Map<Integer, Lease> leases = new LinkedHashMap<>();
    private final Map<Integer, List<ClaimedEvent>> claimed = new LinkedHashMap<>();

    ManualRelay(OutboxStore store, String name) {
        this.store = store;
        for (RelayRoster.Ownership lane : store.heartbeat(new RelayReport(name, "here", "test", 0, 0), LEASE)
                .lanes()) {
            store.acquire(name, lane.lane(), LEASE).ifPresent(lease -> leases.put(lane.lane(), lease));
        }
    }

    int lanes() {
        return leases.size();
    }

    /** Claims events, at most {@code limit} in each lane. */
    List<ClaimedEvent> claim(int limit) {
        List<ClaimedEvent> all = new ArrayList<>();
        leases.keySet().forEach(lane -> all.addAll(claimIn(lane, limit)));
        return all;
    }

    List<ClaimedEvent> claimIn(int lane, int limit) {
        List<ClaimedEvent> claims = store.advance(requireNonNull(leases.get(lane)), List.of(), limit);
        claimed.put(lane, claims);
        return claims;
    }

    void settle(Function<ClaimedEvent, PublishOutcome> decide) {
        leases.forEach((lane, lease) -> store.advance(
                lease,
                claimed.getOrDefault(lane, List.of()).stream().map(decide).toList(),
                0));
        claimed.clear();
    }

    /** Publishes events until none is left. Returns the payloads of each key in the order in which they were published. */
    Map<String, List<String>> drain() {
        Map<String, List<String>> published = new TreeMap<>();
        List<ClaimedEvent> claims = claim(3);
        while (!claims.isEmpty()) {
            claims.forEach(event -> published
                    .computeIfAbsent(event.event().key(), key -> new ArrayList<>())
                    .add(event.event().payload()));
            settle(PublishOutcome.Published::new);
            claims = claim(3);
        }
        return published;
    }
}

package io.waybill.mongodb;

import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A relay whose steps a test performs one at a time. */
final class ManualRelay implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final OutboxStore store;
    private final String name;
    private final List<Lease> leases = new ArrayList<>();

    ManualRelay(OutboxStore store, String name) {
        this.store = store;
        this.name = name;
        for (RelayRoster.Ownership lane : beat().lanes()) {
            store.acquire(name, lane.lane(), LEASE).ifPresent(leases::add);
        }
    }

    private RelayRoster beat() {
        return store.heartbeat(new RelayReport(name, "here:1", "test", 0, 0), LEASE);
    }

    List<Lease> leases() {
        return leases;
    }

    /** Claims a batch in every lane, publishes it, and returns its events. */
    List<ClaimedEvent> publish() {
        store.ready(leases.stream().map(Lease::lane).toList());
        List<ClaimedEvent> all = new ArrayList<>();
        for (Lease lease : leases) {
            List<ClaimedEvent> batch = store.advance(lease, List.of(), 50);
            all.addAll(batch);
            if (!batch.isEmpty()) {
                store.advance(lease, published(batch), 0);
            }
        }
        return all;
    }

    private static List<PublishOutcome> published(List<ClaimedEvent> batch) {
        return batch.stream().<PublishOutcome>map(PublishOutcome.Published::new).toList();
    }

    @Override
    public void close() {
        store.leave(name);
    }
}

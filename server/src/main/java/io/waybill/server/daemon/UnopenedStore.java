package io.waybill.server.daemon;

import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Stands for the store of an outbox whose database has not answered yet: a relay can be built on it, but not started. */
final class UnopenedStore implements OutboxStore {
    private static IllegalStateException notOpen() {
        return new IllegalStateException("The outbox is not open yet.");
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        throw notOpen();
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        throw notOpen();
    }

    @Override
    public void release(Lease lease) {
        throw notOpen();
    }

    @Override
    public void leave(String relay) {
        throw notOpen();
    }

    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        throw notOpen();
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
        throw notOpen();
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        throw notOpen();
    }

    @Override
    public int prune(Duration age, int limit) {
        throw notOpen();
    }
}

package io.waybill.acceptance;

import io.waybill.admin.OutboxPause;
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

/** A store that delegates to another. Each seeded bug overrides a method. */
abstract class BuggyStore implements OutboxStore {
    final OutboxStore store;

    BuggyStore(OutboxStore store) {
        this.store = store;
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        return store.heartbeat(report, lease);
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return store.acquire(relay, lane, lease);
    }

    @Override
    public void release(Lease lease) {
        store.release(lease);
    }

    @Override
    public void leave(String relay) {
        store.leave(relay);
    }

    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        return store.ready(lanes);
    }

    /** Advances each lane separately, so that a bug overrides only the method for one lane. */
    @Override
    public final List<List<ClaimedEvent>> advance(List<LaneRequest> turns) {
        return turns.stream()
                .map(turn -> advance(turn.lease(), turn.outcomes(), turn.limit()))
                .toList();
    }

    @Override
    public List<ClaimedEvent> advance(Lease lease, List<PublishOutcome> outcomes, int limit) {
        return store.advance(lease, outcomes, limit);
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        store.reconcile(lease, outcomes);
    }

    @Override
    public boolean supportsPauses() {
        return store.supportsPauses();
    }

    @Override
    public List<OutboxPause> pauses() {
        return store.pauses();
    }

    @Override
    public int wakeHeld(int lane, Collection<String> reasons, int limit) {
        return store.wakeHeld(lane, reasons, limit);
    }

    @Override
    public int prune(Duration age, int limit) {
        return store.prune(age, limit);
    }
}

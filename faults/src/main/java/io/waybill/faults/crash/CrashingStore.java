package io.waybill.faults.crash;

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
import org.jspecify.annotations.Nullable;

/** Reports the crash points of the store, and marks each transaction as a claim or a settlement for the data source. */
final class CrashingStore implements OutboxStore {
    private final OutboxStore store;
    private final Crash crash;

    CrashingStore(OutboxStore store, Crash crash) {
        this.store = store;
        this.crash = crash;
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        crash.reached(CrashPoint.IN_HEARTBEAT);
        return crash.working(() -> store.heartbeat(report, lease));
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return crash.working(() -> store.acquire(relay, lane, lease));
    }

    @Override
    public void release(Lease lease) {
        crash.reached(CrashPoint.IN_HAND_OVER);
        store.release(lease);
    }

    @Override
    public void leave(String relay) {
        crash.reached(CrashPoint.IN_HAND_OVER);
        store.leave(relay);
    }

    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        return crash.working(() -> store.ready(lanes));
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> turns) {
        List<PublishOutcome> outcomes =
                turns.stream().flatMap(turn -> turn.outcomes().stream()).toList();
        if (outcomes.isEmpty()) {
            crash.reached(CrashPoint.BEFORE_CLAIM);
        }
        crash.begin(step(outcomes));
        try {
            List<List<ClaimedEvent>> claims = crash.working(() -> store.advance(turns));
            if (!claims.stream().allMatch(List::isEmpty)) {
                crash.batchClaimed();
            }
            return claims;
        } finally {
            crash.end();
        }
    }

    private static Crash.@Nullable Step step(List<PublishOutcome> outcomes) {
        if (outcomes.isEmpty()) {
            return Crash.Step.CLAIM;
        }
        return outcomes.stream().anyMatch(PublishOutcome.Published.class::isInstance) ? Crash.Step.SETTLE : null;
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
        crash.reached(CrashPoint.IN_CLEAN_UP);
        return store.prune(age, limit);
    }
}

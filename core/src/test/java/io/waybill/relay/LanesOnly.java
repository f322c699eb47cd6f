package io.waybill.relay;

import io.waybill.envelope.Envelope;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** A store without events, for tests of lane ownership. Subclasses define the lanes. */
abstract class LanesOnly implements OutboxStore {
    static RelaySettings settings(Ticker ticker) {
        return settings("r", ticker);
    }

    static RelaySettings settings(String name, Ticker ticker) {
        return new RelaySettings(
                name,
                Envelope.standard("test"),
                100,
                1,
                1_000_000,
                Duration.ofMillis(1),
                Duration.ofMillis(1),
                Duration.ofSeconds(10),
                RelayBuilder.DEFAULT_RETRY,
                OnDeadLetter.CONTINUE,
                Duration.ofDays(1),
                Duration.ofSeconds(1),
                RelayListener.NONE,
                ticker);
    }

    @Override
    public void release(Lease lease) {}

    @Override
    public void leave(String relay) {}

    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        return Set.of();
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
        return requests.stream().map(request -> List.<ClaimedEvent>of()).toList();
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {}

    @Override
    public int prune(Duration age, int limit) {
        return 0;
    }
}

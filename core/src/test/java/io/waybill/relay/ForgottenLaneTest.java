package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ForgottenLaneTest {
    private final OneLane store = new OneLane();
    private final LaneCoordinator coordinator =
            new LaneCoordinator(store, LanesOnly.settings(() -> 0), new PublishCounter(RelayListener.NONE, () -> 0));

    /** Otherwise the heartbeats would renew the lease forever, and no relay would serve the lane. */
    @Test
    void aLaneWhoseAcquisitionWasNotConfirmedIsReleasedAndAcquiredAgain() {
        store.answers = false;
        assertThatThrownBy(coordinator::heartbeat).isInstanceOf(StoreException.class);
        assertThat(store.owner).isEqualTo("r");
        store.answers = true;

        coordinator.heartbeat();
        coordinator.heartbeat();

        assertThat(coordinator.lanes())
                .singleElement()
                .satisfies(lane -> assertThat(lane.lease().fence()).isEqualTo(store.fence));
    }

    @Test
    void aFailedReleaseIsRetriedWithTheNextHeartbeat() {
        coordinator.heartbeat();
        Lane lane = coordinator.lanes().iterator().next();
        assertThat(lane.begin()).isTrue();
        lane.requestRelease();
        store.reached = false;
        coordinator.finished(lane);
        assertThat(store.owner).isEqualTo("r");
        store.reached = true;

        coordinator.heartbeat();

        assertThat(store.owner).isEmpty();
    }

    /** A store with one lane, whose leases do not expire. */
    private static final class OneLane extends LanesOnly {
        private String owner = "";
        private long fence;
        private boolean answers = true;
        private boolean reached = true;

        @Override
        public RelayRoster heartbeat(RelayReport report, Duration lease) {
            return new RelayRoster(List.of("r"), List.of(new RelayRoster.Ownership(0, owner, fence, lease)));
        }

        @Override
        public Optional<Lease> acquire(String relay, int lane, Duration lease) {
            owner = relay;
            fence++;
            if (!answers) {
                throw new StoreException("no answer", null);
            }
            return Optional.of(new Lease(lane, relay, fence));
        }

        @Override
        public void release(Lease lease) {
            if (!reached) {
                throw new StoreException("not reached", null);
            }
            if (lease.fence() == fence) {
                owner = "";
            }
        }
    }
}

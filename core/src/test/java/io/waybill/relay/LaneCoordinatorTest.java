package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LaneCoordinatorTest {
    private static final RelaySettings SETTINGS = LanesOnly.settings(Ticker.SYSTEM);

    private final LaneCoordinator coordinator =
            new LaneCoordinator(new Forgetful(), SETTINGS, new PublishCounter(RelayListener.NONE, Ticker.SYSTEM));

    /** Otherwise both workers would hold the same lease: the database has lost the first acquisition and grants the fence again. */
    @Test
    void aBusyLaneThatTheDatabaseHasLostIsAcquiredAgainOnlyAfterItsWorkerReturnsIt() {
        coordinator.heartbeat();
        Lane lane = only();
        assertThat(lane.begin()).isTrue();

        coordinator.heartbeat();
        assertThat(coordinator.lanes()).isEmpty();

        coordinator.finished(lane);
        coordinator.heartbeat();
        assertThat(only()).isNotSameAs(lane);
        assertThat(only().lease()).isEqualTo(lane.lease());
        assertThat(lane.begin()).as("the old lane cannot be started").isFalse();
    }

    @Test
    void anIdleLaneThatTheDatabaseHasLostIsAcquiredAgainAtOnce() {
        coordinator.heartbeat();
        Lane lane = only();
        coordinator.heartbeat();
        assertThat(only()).isNotSameAs(lane);
    }

    /** Otherwise the lane would stay busy, and no worker would serve it until the relay is restarted. */
    @Test
    void aWorkerThatFailsWithAnErrorReturnsItsLane() throws InterruptedException {
        OutboxStore broken = new Forgetful() {
            @Override
            public Set<Integer> ready(Collection<Integer> lanes) {
                return Set.copyOf(lanes);
            }

            @Override
            public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
                throw new AssertionError("as if there were no memory left");
            }
        };
        PublishCounter counter = new PublishCounter(RelayListener.NONE, Ticker.SYSTEM);
        CircuitBreaker breaker = new CircuitBreaker(new ScriptedTransport(), RelayListener.NONE, Ticker.SYSTEM);
        PauseWatch pauses = new PauseWatch(broken, SETTINGS, coordinator);
        LaneRunner runner = new LaneRunner(
                broken, new ScriptedTransport(), SETTINGS, counter, breaker, coordinator, pauses, () -> false);
        ExecutorService workers = Executors.newSingleThreadExecutor();
        AtomicInteger looks = new AtomicInteger();
        coordinator.heartbeat();

        new Poller(broken, SETTINGS, coordinator, runner, breaker, pauses, workers, () -> looks.incrementAndGet() > 1)
                .run();
        workers.shutdown();
        assertThat(workers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();

        assertThat(only().inDoubt()).isTrue();
        assertThat(only().requestRelease()).as("no worker is busy with it").isTrue();
    }

    private Lane only() {
        assertThat(coordinator.lanes()).hasSize(1);
        return coordinator.lanes().iterator().next();
    }

    /** A database that forgets every write. */
    private static class Forgetful extends LanesOnly {
        @Override
        public RelayRoster heartbeat(RelayReport report, Duration lease) {
            return new RelayRoster(List.of(report.name()), List.of(new RelayRoster.Ownership(0, "", 4, Duration.ZERO)));
        }

        @Override
        public Optional<Lease> acquire(String relay, int lane, Duration lease) {
            return Optional.of(new Lease(lane, relay, 5));
        }
    }
}

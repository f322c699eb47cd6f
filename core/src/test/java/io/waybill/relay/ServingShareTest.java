package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Two relays of which one, or both, or none reach the broker: who has the lanes. */
class ServingShareTest {
    private static final int LANES = 8;

    private final AtomicLong now = new AtomicLong();
    private final SharedLanes store = new SharedLanes();
    private final Member first = new Member("a");
    private final Member second = new Member("b");

    @Test
    void relaysThatReachTheirBrokerShareTheLanes() {
        beat(3);

        assertThat(first.lanes()).isEqualTo(4);
        assertThat(second.lanes()).isEqualTo(4);
    }

    @Test
    void aRelayWithoutItsBrokerGivesItsLanesUpAfterALease() {
        beat(3);
        second.transport.down = true;
        assertThat(second.breaker.confirmOutage("gone")).isTrue();
        beat(3);
        assertThat(second.lanes()).as("a short outage").isEqualTo(4);

        pass(first.settings.lease());
        beat(3);
        assertThat(second.lanes()).isZero();
        assertThat(first.lanes()).isEqualTo(LANES);

        second.transport.down = false;
        pass(Duration.ofMinutes(1));
        second.breaker.probeIfDue();
        beat(3);
        assertThat(second.lanes()).isEqualTo(4);
        assertThat(first.lanes()).isEqualTo(4);
    }

    @Test
    void aRelayTakesNoLanesBeforeItHasReachedItsBrokerWhileOthersServe() {
        first.beat();
        Member late = new Member("c", true);
        late.breaker.start();
        for (int i = 0; i < 3; i++) {
            first.beat();
            late.beat();
        }
        assertThat(late.lanes()).isZero();
        assertThat(first.lanes()).isEqualTo(LANES);
        assertThat(late.breaker.isOpen()).as("it says so at once").isTrue();
    }

    @Test
    void aRelayThatIsAloneTakesTheLanesInAnyCase() {
        Member alone = new Member("c", true);
        alone.breaker.start();
        alone.beat();

        assertThat(alone.lanes()).isEqualTo(LANES);
    }

    @Test
    void whenNoRelayReachesTheBrokerTheLanesStayWhereTheyAre() {
        beat(3);
        for (Member member : List.of(first, second)) {
            member.transport.down = true;
            assertThat(member.breaker.confirmOutage("gone")).isTrue();
        }
        pass(first.settings.lease());
        beat(3);
        int changes = store.acquired;
        for (int i = 0; i < 20; i++) {
            pass(Duration.ofSeconds(1));
            beat(1);
        }
        assertThat(store.acquired).as("hand-overs").isEqualTo(changes);
        assertThat(first.lanes()).isEqualTo(4);
        assertThat(second.lanes()).isEqualTo(4);

        first.transport.down = false;
        first.breaker.probeIfDue();
        beat(3);
        assertThat(first.lanes()).isEqualTo(LANES);
        second.transport.down = false;
        second.breaker.probeIfDue();
        beat(3);
        assertThat(second.lanes()).isEqualTo(4);
    }

    private void beat(int times) {
        for (int i = 0; i < times; i++) {
            first.beat();
            second.beat();
        }
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private final class Member {
        private final ScriptedTransport transport = new ScriptedTransport();
        private final RelaySettings settings;
        private final CircuitBreaker breaker = new CircuitBreaker(transport, RelayListener.NONE, now::get);
        private final LaneCoordinator coordinator;

        Member(String name) {
            this(name, false);
            breaker.start();
        }

        Member(String name, boolean down) {
            transport.down = down;
            settings = LanesOnly.settings(name, now::get);
            coordinator = new LaneCoordinator(store, settings, new PublishCounter(RelayListener.NONE, now::get));
            coordinator.reachesBrokerWhile(() -> breaker.canPublish(settings.lease()));
        }

        void beat() {
            coordinator.heartbeat();
        }

        int lanes() {
            return coordinator.lanes().size();
        }
    }

    /** Leases that do not expire, and the roll. */
    private static final class SharedLanes extends LanesOnly {
        private final Map<String, Boolean> relays = new TreeMap<>();
        private final String[] owners = new String[LANES];
        private int acquired;

        @Override
        public RelayRoster heartbeat(RelayReport report, Duration lease) {
            relays.put(report.name(), report.serving());
            List<RelayRoster.Ownership> lanes = new ArrayList<>();
            for (int i = 0; i < LANES; i++) {
                lanes.add(new RelayRoster.Ownership(i, owners[i] == null ? "" : owners[i], 1, lease));
            }
            return new RelayRoster(
                    List.copyOf(relays.keySet()),
                    relays.keySet().stream()
                            .filter(name -> Boolean.TRUE.equals(relays.get(name)))
                            .toList(),
                    lanes);
        }

        @Override
        public Optional<Lease> acquire(String relay, int lane, Duration lease) {
            if (owners[lane] != null) {
                return Optional.empty();
            }
            owners[lane] = relay;
            acquired++;
            return Optional.of(new Lease(lane, relay, 1));
        }

        @Override
        public void release(Lease lease) {
            owners[lease.lane()] = null;
        }
    }
}

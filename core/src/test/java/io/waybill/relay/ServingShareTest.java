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

/** How two relays share the lanes if one, both or neither of them is serving. */
class ServingShareTest {
    private static final int LANES = 8;

    private final AtomicLong now = new AtomicLong();
    private final SharedLanes store = new SharedLanes();
    private final Member first = new Member("a");
    private final Member second = new Member("b");

    @Test
    void servingRelaysShareTheLanes() {
        heartbeat(3);

        assertThat(first.lanes()).isEqualTo(4);
        assertThat(second.lanes()).isEqualTo(4);
    }

    @Test
    void aRelayWithoutBrokerReleasesItsLanesAfterTheDurationOfALease() {
        heartbeat(3);
        second.transport.down = true;
        assertThat(second.breaker.confirmOutage("gone")).isTrue();
        heartbeat(3);
        assertThat(second.lanes()).as("a short outage").isEqualTo(4);

        pass(first.settings.lease());
        heartbeat(3);
        assertThat(second.lanes()).isZero();
        assertThat(first.lanes()).isEqualTo(LANES);

        second.transport.down = false;
        pass(Duration.ofMinutes(1));
        second.breaker.probeIfDue();
        heartbeat(3);
        assertThat(second.lanes()).isEqualTo(4);
        assertThat(first.lanes()).isEqualTo(4);
    }

    @Test
    void aRelayWhoseBrokerHasNotAnsweredAcquiresNoLanesWhileOthersAreServing() {
        first.heartbeat();
        Member late = new Member("c", true);
        late.breaker.start();
        for (int i = 0; i < 3; i++) {
            first.heartbeat();
            late.heartbeat();
        }
        assertThat(late.lanes()).isZero();
        assertThat(first.lanes()).isEqualTo(LANES);
        assertThat(late.breaker.isOpen()).as("the outage is reported at once").isTrue();
    }

    @Test
    void aSingleRelayAcquiresAllLanesEvenWithoutBroker() {
        Member alone = new Member("c", true);
        alone.breaker.start();
        alone.heartbeat();

        assertThat(alone.lanes()).isEqualTo(LANES);
    }

    @Test
    void lanesKeepTheirOwnersWhileNoRelayIsServing() {
        heartbeat(3);
        for (Member member : List.of(first, second)) {
            member.transport.down = true;
            assertThat(member.breaker.confirmOutage("gone")).isTrue();
        }
        pass(first.settings.lease());
        heartbeat(3);
        int changes = store.acquired;
        for (int i = 0; i < 20; i++) {
            pass(Duration.ofSeconds(1));
            heartbeat(1);
        }
        assertThat(store.acquired).as("acquired lanes").isEqualTo(changes);
        assertThat(first.lanes()).isEqualTo(4);
        assertThat(second.lanes()).isEqualTo(4);

        first.transport.down = false;
        first.breaker.probeIfDue();
        heartbeat(3);
        assertThat(first.lanes()).isEqualTo(LANES);
        second.transport.down = false;
        second.breaker.probeIfDue();
        heartbeat(3);
        assertThat(second.lanes()).isEqualTo(4);
    }

    private void heartbeat(int times) {
        for (int i = 0; i < times; i++) {
            first.heartbeat();
            second.heartbeat();
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
            coordinator.setServing(() -> breaker.isServing(settings.lease()));
        }

        void heartbeat() {
            coordinator.heartbeat();
        }

        int lanes() {
            return coordinator.lanes().size();
        }
    }

    /** A store with a roster of relays, whose leases do not expire. */
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

package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.WaybillException;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An error that ends one of its threads stops the relay, which reports the error and releases its lanes. */
class RelayFailureTest {
    /** The call that fails. */
    enum Call {
        HEARTBEAT,
        ACQUIRE,
        READY,
        ADVANCE,
        PRUNE,
        PROBE
    }

    @ParameterizedTest
    @EnumSource
    void anErrorInAnyThreadStopsTheRelay(Call failing) throws Exception {
        FailingStore store = new FailingStore(failing);
        ScriptedTransport transport = new ScriptedTransport() {
            @Override
            public void probe() {
                store.failIf(Call.PROBE);
            }
        };
        try (Relay relay =
                Relay.builder(store, transport).lease(Duration.ofSeconds(1)).build()) {
            relay.start();

            WaybillException reason = relay.ended().toCompletableFuture().get(4, TimeUnit.MINUTES);

            assertThat(reason).hasMessageContaining("as if there were no memory left");
            assertThat(relay.isRunning()).isFalse();
            assertThat(store.left.await(4, TimeUnit.MINUTES))
                    .as("the lanes are free")
                    .isTrue();
            assertThat(store.heartbeatsAfterLeave).hasValue(0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READY", "ADVANCE"})
    void noLeaseIsRenewedAfterAnErrorEvenIfTheReleaseFails(Call failing) throws Exception {
        FailingStore store = new FailingStore(failing);
        store.leaveFails = true;
        try (Relay relay = Relay.builder(store, new ScriptedTransport())
                .lease(Duration.ofSeconds(1))
                .build()) {
            relay.start();
            relay.ended().toCompletableFuture().get(4, TimeUnit.MINUTES);
            int heartbeats = store.heartbeats.get();

            assertThat(store.left.await(4, TimeUnit.MINUTES)).isTrue();
            assertThat(store.heartbeats).hasValue(heartbeats);
        }
    }

    private static final class FailingStore extends LanesOnly {
        private final Call failing;
        private final CountDownLatch left = new CountDownLatch(1);
        private final AtomicInteger heartbeats = new AtomicInteger();
        private final AtomicInteger heartbeatsAfterLeave = new AtomicInteger();
        private volatile boolean leaveFails;

        FailingStore(Call failing) {
            this.failing = failing;
        }

        void failIf(Call call) {
            if (call == failing) {
                throw new OutOfMemoryError("as if there were no memory left");
            }
        }

        @Override
        public RelayRoster heartbeat(RelayReport report, Duration lease) {
            heartbeats.incrementAndGet();
            if (left.getCount() == 0) {
                heartbeatsAfterLeave.incrementAndGet();
            }
            failIf(Call.HEARTBEAT);
            return new RelayRoster(List.of(report.name()), List.of(new RelayRoster.Ownership(0, "", 4, Duration.ZERO)));
        }

        @Override
        public Optional<Lease> acquire(String relay, int lane, Duration lease) {
            failIf(Call.ACQUIRE);
            return Optional.of(new Lease(lane, relay, 5));
        }

        @Override
        public Set<Integer> ready(Collection<Integer> lanes) {
            failIf(Call.READY);
            return Set.copyOf(lanes);
        }

        @Override
        public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
            failIf(Call.ADVANCE);
            return super.advance(requests);
        }

        @Override
        public int prune(Duration age, int limit) {
            failIf(Call.PRUNE);
            return 0;
        }

        @Override
        public void leave(String relay) {
            left.countDown();
            if (leaveFails) {
                throw new OutOfMemoryError("still none");
            }
        }
    }
}

package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.transport.Failure;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A listener that throws from each of its callbacks neither blocks a lane nor causes events to be sent again. */
class ThrowingListenerTest {
    static List<Named<Supplier<Throwable>>> throwables() {
        return List.of(
                Named.of("exception", () -> new IllegalStateException("not my day")),
                Named.of("error", () -> new NoClassDefFoundError("not my day")),
                Named.of("stack overflow", () -> new StackOverflowError("not my day")));
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void exceptionsOfAListenerDoNotAffectTheRelay(Supplier<Throwable> thrown) throws Exception {
        OneBatch store = new OneBatch();
        ScriptedTransport transport = new ScriptedTransport();
        transport.failures.put("bad", Failure.permanent("no such thing"));
        RelayListener listener = (RelayListener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RelayListener.class}, (proxy, method, arguments) -> {
                    throw thrown.get();
                });
        try (Relay relay =
                Relay.builder(store, transport).listener(listener).workers(1).build()) {
            relay.start();
            assertThat(store.settled.await(4, TimeUnit.MINUTES)).isTrue();
            assertThat(relay.isRunning()).isTrue();
        }
        assertThat(transport.sent).containsExactlyInAnyOrder("good", "bad");
        assertThat(store.outcomes)
                .extracting(outcome -> outcome.getClass().getSimpleName())
                .containsExactlyInAnyOrder("Published", "Dead");
    }

    /** One lane with two events. */
    private static final class OneBatch extends LanesOnly {
        private final CountDownLatch settled = new CountDownLatch(1);
        private final List<PublishOutcome> outcomes = new ArrayList<>();
        private boolean claimed;

        @Override
        public RelayRoster heartbeat(RelayReport report, Duration lease) {
            return new RelayRoster(
                    List.of(report.name()),
                    List.of(new RelayRoster.Ownership(0, claimed ? report.name() : "", 5, lease)));
        }

        @Override
        public Optional<Lease> acquire(String relay, int lane, Duration lease) {
            return Optional.of(new Lease(lane, relay, 5));
        }

        @Override
        public Set<Integer> ready(Collection<Integer> lanes) {
            return Set.copyOf(lanes);
        }

        @Override
        public synchronized List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
            LaneRequest request = requests.get(0);
            if (!request.outcomes().isEmpty()) {
                outcomes.addAll(request.outcomes());
                settled.countDown();
            }
            if (claimed || request.limit() == 0) {
                return super.advance(requests);
            }
            claimed = true;
            return List.of(List.of(claim("good", 1), claim("bad", 2)));
        }

        private static ClaimedEvent claim(String name, long position) {
            Event event = Event.builder("t", "A", name).header("name", name).build();
            return new ClaimedEvent(event, position, 0, false, Duration.ZERO);
        }
    }
}

package io.waybill.relay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.store.StoreException;
import io.waybill.time.Ticker;
import io.waybill.transport.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedBatchTest {
    /** Stands still: on a slow machine the time slice would end in the middle of a test. */
    private static final Ticker CLOCK = () -> 0;

    private static final RelaySettings SETTINGS = LanesOnly.settings(CLOCK);

    private final ThreeLanes store = new ThreeLanes();
    private final ScriptedTransport transport = new ScriptedTransport();
    private final PublishCounter counter = new PublishCounter(RelayListener.NONE, CLOCK);
    private final LaneCoordinator coordinator = new LaneCoordinator(store, SETTINGS, counter);
    private final Map<Integer, List<String>> alone = new TreeMap<>();
    private boolean stopping;
    private boolean closed;
    private final SharedBatch sharedBatch = new SharedBatch(
            store,
            SETTINGS,
            coordinator,
            new LaneRunner(
                    store,
                    transport,
                    SETTINGS,
                    counter,
                    new CircuitBreaker(transport, RelayListener.NONE, CLOCK),
                    coordinator,
                    new PauseWatch(store, SETTINGS, coordinator),
                    () -> stopping),
            (lane, claims) -> {
                if (!closed) {
                    alone.put(lane.number(), names(claims));
                }
                return !closed;
            });

    @BeforeEach
    void allLanesJoin() {
        coordinator.heartbeat();
        for (Lane lane : coordinator.lanes()) {
            lane.markDrained();
            assertThat(lane.begin()).isTrue();
            sharedBatch.join(lane);
        }
    }

    @Test
    void oneTransactionServesAllLanes() {
        store.append(0, "a1", "a2");
        store.append(2, "c1");

        assertThat(sharedBatch.runSlice()).isFalse();

        assertThat(transport.sent).containsExactlyInAnyOrder("a1", "a2", "c1").containsSubsequence("a1", "a2");
        assertThat(store.settled.keySet()).containsExactly("a1", "a2", "c1");
        assertThat(store.transactions).isEqualTo(2);
        assertThat(sharedBatch.end()).as("has published").isTrue();
        assertThat(coordinator.lanes()).hasSize(3).allMatch(Lane::idle);
    }

    @Test
    void aFailingEventAffectsNoOtherLane() {
        store.append(0, "a1", "a2");
        store.append(1, "b1");
        transport.failures.put("a1", Failure.transientFailure("not now"));

        sharedBatch.runSlice();

        assertThat(store.settled)
                .containsEntry("a1", "Retry")
                .containsEntry("a2", "Parked")
                .containsEntry("b1", "Published");
        assertThat(lane(0).canShareBatch()).isFalse();
        assertThat(lane(0).idle()).as("has left the shared batch").isTrue();
        assertThat(lane(1).canShareBatch()).isTrue();
    }

    @Test
    void aDeadLetterAffectsNoOtherLane() {
        store.append(0, "a1");
        store.append(1, "b1");
        transport.failures.put("a1", Failure.permanent("too large"));

        sharedBatch.runSlice();

        assertThat(store.settled).containsEntry("a1", "Dead").containsEntry("b1", "Published");
    }

    @Test
    void anOutageOfTheBrokerReleasesAllEvents() {
        store.append(0, "a1");
        store.append(1, "b1");
        transport.failures.put("a1", Failure.outage("gone"));
        transport.down = true;

        sharedBatch.runSlice();

        assertThat(store.settled).containsEntry("a1", "Released");
        assertThat(coordinator.lanes()).allMatch(Lane::idle);
    }

    @Test
    void aLaneThatFillsItsPartContinuesAloneWithItsClaims() {
        String[] many = IntStream.range(0, 30).mapToObj(n -> "a" + n).toArray(String[]::new);
        store.append(0, many);
        store.append(1, "b1");

        sharedBatch.runSlice();

        assertThat(alone.get(0)).hasSize(12).first().isEqualTo("a0");
        assertThat(transport.sent).containsExactly("b1");
        sharedBatch.end();
        assertThat(lane(0).requestRelease()).as("idle").isFalse();
    }

    @Test
    void anEventThatHasFailedBeforeIsSentAlone() {
        store.append(0, "a1");
        store.append(1, "b1");
        store.failures = 1;

        sharedBatch.runSlice();

        assertThat(alone).containsOnlyKeys(0, 1);
        assertThat(transport.sent).isEmpty();
    }

    @Test
    void aClosedRelayReleasesClaimsThatNoWorkerTakesOver() {
        store.append(0, "a1");
        store.failures = 1;
        closed = true;
        store.before = requests -> stopping = true;

        sharedBatch.runSlice();

        assertThat(transport.sent).isEmpty();
        assertThat(store.settled).containsEntry("a1", "Released");
    }

    @Test
    void aLaneToBeReleasedIsSettledAndLeavesTheSharedBatch() {
        store.append(0, "a1");
        store.append(1, "b1");
        transport.beforeAnswer = message -> lane(0).requestRelease();

        sharedBatch.runSlice();

        assertThat(store.settled).containsEntry("a1", "Published").containsEntry("b1", "Published");
        assertThat(store.released).containsExactly(0);
    }

    @Test
    void aStoppingRelaySettlesTheEventsItHasSent() {
        store.append(0, "a1");
        store.append(1, "b1");
        transport.beforeAnswer = message -> stopping = true;

        assertThat(sharedBatch.runSlice()).isFalse();

        assertThat(transport.sent).hasSize(1);
        assertThat(store.settled.values()).containsExactlyInAnyOrder("Published", "Released");
        assertThat(coordinator.lanes()).as("no worker is busy with them").allMatch(Lane::requestRelease);
    }

    @Test
    void aLostLaneLeavesTheOthersInDoubt() {
        store.append(0, "a1");
        store.append(1, "b1");
        store.before = requests -> {
            if (store.transactions == 1) {
                throw new FencedException(requests.get(1).lease());
            }
        };
        Lane lost = lane(1);

        assertThat(sharedBatch.runSlice()).isFalse();
        sharedBatch.end();

        assertThat(coordinator.lanes()).hasSize(2).doesNotContain(lost).allMatch(Lane::inDoubt);
        assertThat(lane(0).unsettled())
                .hasOnlyElementsOfType(PublishOutcome.Published.class)
                .hasSize(1);
        assertThat(lane(2).unsettled()).isEmpty();
        assertThat(coordinator.lanes()).as("no worker is busy with them").allMatch(Lane::requestRelease);
    }

    @Test
    void aLostResponseLeavesAllLanesInDoubt() {
        store.append(0, "a1");
        store.before = requests -> {
            throw new StoreException("no answer", null);
        };

        assertThat(sharedBatch.runSlice()).isFalse();
        sharedBatch.end();

        assertThat(coordinator.lanes()).hasSize(3).allMatch(Lane::inDoubt).allMatch(Lane::requestRelease);
    }

    @Test
    void anErrorReturnsEveryLane() {
        store.before = requests -> {
            throw new AssertionError("as if there were no memory left");
        };

        assertThatThrownBy(sharedBatch::runSlice).isInstanceOf(AssertionError.class);
        sharedBatch.end();

        assertThat(coordinator.lanes()).hasSize(3).allMatch(Lane::inDoubt).allMatch(Lane::requestRelease);
        assertThat(sharedBatch.running()).isFalse();
    }

    private Lane lane(int number) {
        return coordinator.lanes().stream()
                .filter(lane -> lane.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> names(List<ClaimedEvent> claims) {
        return claims.stream().map(SharedBatchTest::name).toList();
    }

    private static String name(ClaimedEvent claimed) {
        return requireNonNull(claimed.event().headers().get("name"));
    }

    /** Returns every event once and records its outcome. */
    private static final class ThreeLanes extends LanesOnly {
        private final Map<Integer, List<ClaimedEvent>> waiting = new HashMap<>();
        private final Map<String, String> settled = new TreeMap<>();
        private final List<Integer> released = new ArrayList<>();
        private Consumer<List<LaneRequest>> before = requests -> {};
        private int transactions;
        private int failures;

        void append(int lane, String... names) {
            for (String name : names) {
                Event event = Event.builder("t", "A", name.substring(0, 1))
                        .header("name", name)
                        .build();
                waiting.computeIfAbsent(lane, number -> new ArrayList<>())
                        .add(new ClaimedEvent(event, name.hashCode(), 0, false, Duration.ZERO));
            }
        }

        @Override
        public RelayRoster heartbeat(RelayReport report, Duration lease) {
            return new RelayRoster(
                    List.of(report.name()),
                    IntStream.range(0, 3)
                            .mapToObj(lane -> new RelayRoster.Ownership(lane, "", 4, Duration.ZERO))
                            .toList());
        }

        @Override
        public Optional<Lease> acquire(String relay, int lane, Duration lease) {
            return Optional.of(new Lease(lane, relay, 5));
        }

        @Override
        public void release(Lease lease) {
            released.add(lease.lane());
        }

        @Override
        public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
            before.accept(requests);
            transactions++;
            List<List<ClaimedEvent>> claims = new ArrayList<>();
            for (LaneRequest request : requests) {
                request.outcomes()
                        .forEach(one ->
                                settled.put(name(one.claimed()), one.getClass().getSimpleName()));
                List<ClaimedEvent> lane = waiting.getOrDefault(request.lease().lane(), new ArrayList<>());
                List<ClaimedEvent> first = lane.subList(0, Math.min(request.limit(), lane.size()));
                claims.add(first.stream()
                        .map(one -> new ClaimedEvent(one.event(), one.position(), failures, false, one.age()))
                        .toList());
                first.clear();
            }
            return claims;
        }
    }
}

package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.Action;
import io.waybill.admin.ActionRefusedException;
import io.waybill.admin.BlockedKey;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxPause;
import io.waybill.admin.OutboxPause.Scope;
import io.waybill.relay.Relay;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Pauses that operators set, and relays that honour them. */
interface PauseTests extends StoreTests {
    Action PAUSE = new Action("ann", "maintenance");

    Duration LIMIT = Duration.ofMinutes(2);

    private void pause(Scope scope, String value) {
        backend().actions().pause(scope, value, null, PAUSE);
    }

    private List<OutboxPause> pauses() {
        return backend().search().pauses();
    }

    /** Remembers the ids of the messages in the order in which it received them. */
    final class Received implements Transport {
        private final List<UUID> ids = new CopyOnWriteArrayList<>();

        @Override
        public void send(Message message, Delivery delivery) {
            ids.add(message.id());
            delivery.acknowledged();
        }

        @Override
        public void probe() {}

        @Override
        public void close() {}
    }

    private Relay relay(String name, Transport transport) {
        Relay relay = Relay.builder(store(), transport)
                .name(name)
                .pollEvery(Duration.ofMillis(20))
                .lease(Duration.ofSeconds(10))
                .build();
        relay.start();
        return relay;
    }

    private void awaitState(Event event, EventState state) {
        await().atMost(LIMIT).until(() -> driver().state(event) == state);
    }

    private void awaitHeld(Event event) {
        await().atMost(LIMIT).until(() -> {
            String error = driver().record(event.id()).lastError();
            return error != null && error.startsWith(OutboxPause.HELD);
        });
    }

    @Test
    default void aPauseIsListedUntilItEnds() {
        assertThat(store().supportsPauses()).isTrue();
        pause(Scope.TOPIC, "orders");
        backend().actions().pause(Scope.KEY, "a", Instant.now().plus(Duration.ofHours(1)), PAUSE);
        assertThat(pauses()).isEqualTo(store().pauses());
        assertThat(pauses()).extracting(OutboxPause::scope).containsExactlyInAnyOrder(Scope.TOPIC, Scope.KEY);
        assertThat(pauses()).allSatisfy(pause -> {
            assertThat(pause.actor()).isEqualTo("ann");
            assertThat(pause.reason()).isEqualTo("maintenance");
        });

        backend().age(Duration.ofHours(2));
        assertThat(pauses()).extracting(OutboxPause::value).containsExactly("orders");
        backend().actions().resume(Scope.TOPIC, "orders", PAUSE);
        assertThat(pauses()).isEmpty();
        assertThatThrownBy(() -> backend().actions().resume(Scope.TOPIC, "orders", PAUSE))
                .isInstanceOf(ActionRefusedException.class);
    }

    @Test
    default void aPauseReplacesTheFormerOneAndEndsInTheFuture() {
        pause(Scope.TYPE, "order.placed");
        backend().actions().pause(Scope.TYPE, "order.placed", null, new Action("bob", "longer"));
        assertThat(pauses())
                .singleElement()
                .satisfies(pause -> assertThat(pause.actor()).isEqualTo("bob"));
        Instant past = Instant.now().minus(Duration.ofHours(1));
        assertThatThrownBy(() -> backend().actions().pause(Scope.TYPE, "order.placed", past, PAUSE))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("future");
        assertThat(pauses())
                .singleElement()
                .satisfies(pause -> assertThat(pause.actor()).isEqualTo("bob"));
    }

    @Test
    default void onlyEventsWhosePauseHasEndedAreWoken() {
        driver().append(event("a", 1), event("b", 1), event("c", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(
                        lanes,
                        driver().claim(lanes),
                        c -> new PublishOutcome.Retry(
                                c,
                                DELAY,
                                c.event().key().equals("c")
                                        ? "no"
                                        : OutboxPause.HELD + c.event().key(),
                                false));

        int woken = 0;
        for (int lane : lanes.keySet()) {
            woken += store().wakeHeld(lane, Set.of(OutboxPause.HELD + "a"), 10);
        }

        assertThat(woken).isEqualTo(1);
        List<ClaimedEvent> due = driver().claim(lanes);
        assertThat(StoreDriver.names(due)).containsExactly("b1");
        assertThat(due.get(0).retryCount()).isZero();
    }

    @Test
    default void twoRelaysHoldAPausedTypeInOrderAndContinueWhenItIsResumed() {
        Event paused = Event.of("order.paid", "Order", "a", "{}");
        Event behind = event("a", 2);
        Event other = event("b", 1);
        pause(Scope.TYPE, "order.paid");
        driver().append(paused, behind, other);
        Received received = new Received();
        try (Relay first = relay("one", received);
                Relay second = relay("two", received)) {
            awaitState(other, EventState.PUBLISHED);
            awaitHeld(paused);
            assertThat(received.ids).containsExactly(other.id());
            EventRecord held = driver().record(paused.id());
            assertThat(held.retryCount()).isZero();
            assertThat(backend().search().blockedKeys(null, 10).items())
                    .singleElement()
                    .satisfies(key -> assertThat(key.cause()).isEqualTo(BlockedKey.Cause.PAUSED));
            assertThat(backend().search().failureGroups().groups()).isEmpty();

            backend().actions().resume(Scope.TYPE, "order.paid", PAUSE);
            awaitState(behind, EventState.PUBLISHED);
            assertThat(first.isRunning() && second.isRunning()).isTrue();
        }
        assertThat(received.ids).containsSubsequence(paused.id(), behind.id()).doesNotHaveDuplicates();
    }

    @Test
    default void aPauseOutlivesItsRelayAndEndsByItself() {
        backend().actions().pause(Scope.KEY, "a", Instant.now().plus(Duration.ofHours(1)), PAUSE);
        Event paused = event("a", 1);
        Event behind = event("a", 2);
        driver().append(paused, behind);
        Received received = new Received();
        try (Relay first = relay("one", received)) {
            awaitHeld(paused);
            assertThat(first.isRunning()).isTrue();
        }
        try (Relay second = relay("two", received)) {
            Event other = event("b", 1);
            driver().append(other);
            awaitState(other, EventState.PUBLISHED);
            assertThat(received.ids).containsExactly(other.id());
            assertThat(second.isRunning()).isTrue();
        }
        backend().age(Duration.ofHours(2));
        try (Relay third = relay("three", received)) {
            awaitState(behind, EventState.PUBLISHED);
            assertThat(third.isRunning()).isTrue();
        }
        assertThat(received.ids).containsSubsequence(paused.id(), behind.id()).doesNotHaveDuplicates();
    }

    @Test
    default void aPausedRelayLeavesItsLanesToTheOthers() {
        pause(Scope.RELAY, "one");
        Received fromOne = new Received();
        Received fromTwo = new Received();
        List<Event> events = List.of(event("a", 1), event("b", 1), event("c", 1), event("d", 1));
        try (Relay one = relay("one", fromOne);
                Relay two = relay("two", fromTwo)) {
            driver().append(events.toArray(Event[]::new));
            events.forEach(event -> awaitState(event, EventState.PUBLISHED));
            assertThat(fromOne.ids).isEmpty();
            assertThat(fromTwo.ids).hasSize(events.size());
            assertThat(one.isRunning() && two.isRunning()).isTrue();
        }
    }

    @Test
    default void aPauseOfAllRelaysIncludesThoseThatRunOnce() {
        pause(Scope.RELAY, OutboxPause.EVERY_RELAY);
        Event event = event("a", 1);
        driver().append(event);
        Received received = new Received();
        assertThat(Relay.builder(store(), received).build().runOnce()).isZero();
        backend().actions().resume(Scope.RELAY, OutboxPause.EVERY_RELAY, PAUSE);
        assertThat(Relay.builder(store(), received).build().runOnce()).isEqualTo(1);
        assertThat(received.ids).containsExactly(event.id());
    }
}

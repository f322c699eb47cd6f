package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.event;
import static io.waybill.testkit.store.StoreDriver.names;
import static io.waybill.testkit.store.StoreDriver.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.StoreException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Claiming events: order, content, transactions of writers, and one claim for each event. */
interface ClaimTests extends StoreTests {
    @Test
    default void eventsOfAKeyAreClaimedInAppendOrder() {
        driver().append(event("a", 1), event("b", 1), event("a", 2), event("a", 3), event("b", 2));

        List<ClaimedEvent> claims = driver().claim(driver().takeLanes("r1"));

        assertThat(names(claims)).containsSubsequence("a1", "a2", "a3").containsSubsequence("b1", "b2");
        assertThat(claims).hasSize(5).allSatisfy(c -> assertThat(c.retryCount()).isZero());
    }

    @Test
    default void anEventComesBackAsItWasWritten() {
        Event written = Event.builder("order.placed.v2", "Order", "ключ-42 \"'\\")
                .version(2)
                .aggregateVersion(7)
                .topic("orders")
                .payload("{\"b\": 1.50, \"a\": \"\\u0000 ü 🚚\", \"b\": 2}")
                .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .header("quote\"d", "line\nbreak\ttab")
                .occurredAt(Instant.parse("2026-02-03T04:05:06.123456Z"))
                .build();
        driver().append(written);

        Event read = driver().claim(driver().takeLanes("r1")).get(0).event();

        assertThat(read).usingRecursiveComparison().isEqualTo(written);
    }

    @Test
    default void rolledBackEventsAreNeverClaimed() {
        try (StoreBackend.Writer writer = backend().begin()) {
            writer.append(event("a", 1));
        }
        assertThat(driver().claim(driver().takeLanes("r1"))).isEmpty();
    }

    @Test
    default void aLateCommitIsClaimedAndDelaysNoOther() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        try (StoreBackend.Writer late = backend().begin()) {
            late.append(event("late", 1));
            driver().append(event("early", 1));
            assertThat(names(driver().drain(lanes))).containsExactly("early1");
            late.commit();
        }
        assertThat(names(driver().drain(lanes))).containsExactly("late1");
    }

    @Test
    default void aClaimedEventIsNotClaimedTwice() {
        driver().append(event("a", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        ClaimedEvent claimed = driver().claim(lanes).get(0);
        driver().settle(lanes, List.of(claimed), PublishOutcome.Published::new);

        assertThat(driver().claim(lanes)).isEmpty();
        assertThat(driver().takeLanes("r2")).isEmpty();
    }

    @Test
    default void oneTransactionSettlesABatchAndClaimsTheNext() {
        driver().append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        List<ClaimedEvent> first =
                store().advance(driver().leaseOf(lanes, driver().claim(lanes).get(0)), List.of(), 1);
        Lease lease = driver().leaseOf(lanes, first.get(0));

        List<ClaimedEvent> second = store().advance(lease, List.of(new PublishOutcome.Published(first.get(0))), 1);

        assertThat(numbers(first)).containsExactly(1);
        assertThat(numbers(second)).containsExactly(2);
        assertThat(driver().record(first.get(0).event().id()).state()).isEqualTo(EventState.PUBLISHED);
    }

    @Test
    default void claimsWithALostAnswerAreRepeatedWithoutCountingAnAttempt() {
        driver().append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        ClaimedEvent claimed = driver().claim(lanes).get(0);

        store().reconcile(driver().leaseOf(lanes, claimed), List.of());

        List<ClaimedEvent> again = driver().claim(lanes);
        assertThat(numbers(again)).containsExactly(1, 2);
        assertThat(again).allSatisfy(c -> assertThat(c.retryCount()).isZero());
    }

    @Test
    default void reconcilingASettledBatchAgainChangesNothing() {
        driver().append(event("a", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        ClaimedEvent claimed = driver().claim(lanes).get(0);
        Lease lease = driver().leaseOf(lanes, claimed);
        List<PublishOutcome> outcomes = List.of(new PublishOutcome.Published(claimed));
        store().advance(lease, outcomes, 0);

        store().reconcile(lease, outcomes);
        store().reconcile(lease, List.of(new PublishOutcome.Retry(claimed, DELAY, "late", true)));

        EventRecord record = driver().record(claimed.event().id());
        assertThat(record.state()).isEqualTo(EventState.PUBLISHED);
        assertThat(record.retryCount()).isZero();
    }

    @Test
    default void settlingAnUnclaimedEventIsRejected() {
        driver().append(event("a", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        ClaimedEvent claimed = driver().claim(lanes).get(0);
        Lease lease = driver().leaseOf(lanes, claimed);
        List<PublishOutcome> outcomes = List.of(new PublishOutcome.Published(claimed));
        store().advance(lease, outcomes, 0);

        assertThatThrownBy(() -> store().advance(lease, outcomes, 10)).isInstanceOf(StoreException.class);
    }

    @Test
    default void releasedEventsCanBeClaimedAgain() {
        driver().append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(lanes, driver().claim(lanes), PublishOutcome.Released::new);

        List<ClaimedEvent> again = driver().claim(lanes);

        assertThat(numbers(again)).containsExactly(1, 2);
        assertThat(again).allSatisfy(c -> assertThat(c.retryCount()).isZero());
    }

    @Test
    default void readyReturnsTheLanesWithClaimableEvents() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        assertThat(store().ready(lanes.keySet())).isEmpty();

        driver().append(event("a", 1));
        int lane = store().ready(lanes.keySet()).iterator().next();
        driver().settle(lanes, driver().claim(lanes), c -> new PublishOutcome.Retry(c, DELAY, "no", true));
        assertThat(store().ready(lanes.keySet())).isEmpty();

        backend().age(DELAY.plusSeconds(1));
        assertThat(store().ready(lanes.keySet())).containsExactly(lane);
        assertThat(store().ready(List.of())).isEmpty();
    }
}

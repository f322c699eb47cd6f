package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.LEASE;
import static io.waybill.testkit.store.StoreDriver.event;
import static io.waybill.testkit.store.StoreDriver.names;
import static io.waybill.testkit.store.StoreDriver.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Retries, the order of a key while one of its events fails, and dead letters. */
interface RetryTests extends StoreTests {
    @Test
    default void aFailedEventBlocksItsOwnKeyOnly() {
        driver().append(event("a", 1), event("a", 2), event("b", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        fail(lanes, "a");
        driver().append(event("a", 3), event("b", 2));

        assertThat(names(driver().drain(lanes))).containsExactly("b2");

        backend().age(DELAY.plusSeconds(1));
        assertThat(names(driver().drain(lanes))).containsExactly("a1", "a2", "a3");
    }

    @Test
    default void aKeyStaysBlockedThroughFurtherFailures() {
        driver().append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        fail(lanes, "a");
        for (int failures = 2; failures <= 4; failures++) {
            backend().age(DELAY.plusSeconds(1));
            List<ClaimedEvent> again = driver().claim(lanes);
            assertThat(names(again)).containsExactly("a1");
            assertThat(again.get(0).retryCount()).isEqualTo(failures - 1);
            driver().settle(lanes, again, c -> new PublishOutcome.Retry(c, DELAY, "still no", true));
        }
        assertThat(driver().claim(lanes)).isEmpty();
    }

    /** The transaction that settles the sent event is the first one that sees the new events. */
    @Test
    default void eventsAppendedDuringASendFollowTheSentEvent() {
        driver().append(event("a", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        ClaimedEvent first = driver().claim(lanes).get(0);
        Lease lease = driver().leaseOf(lanes, first);
        driver().append(event("a", 2));
        assertThat(store().advance(lease, List.of(new PublishOutcome.Retry(first, DELAY, "no", true)), 100))
                .as("claims behind a failed event")
                .isEmpty();

        backend().age(DELAY.plusSeconds(1));
        List<ClaimedEvent> again = store().advance(lease, List.of(), 100);
        assertThat(names(again)).containsExactly("a1");
        driver().append(event("a", 3));
        List<ClaimedEvent> next = store().advance(lease, List.of(new PublishOutcome.Published(again.get(0))), 100);
        List<ClaimedEvent> rest = new ArrayList<>(next);
        driver().settle(lanes, next, PublishOutcome.Published::new);
        rest.addAll(driver().drain(lanes));
        assertThat(names(rest)).as("claims behind a published retry").containsExactly("a2", "a3");
    }

    @Test
    default void aKeyStaysBlockedAcrossAChangeOfOwner() {
        driver().append(event("a", 1), event("a", 2));
        fail(driver().takeLanes("r1"), "a");
        backend().age(LEASE.plusSeconds(1));
        Map<Integer, Lease> lanes = driver().takeLanes("r2");
        driver().append(event("a", 3));

        assertThat(driver().claim(lanes)).isEmpty();
        backend().age(DELAY);
        assertThat(names(driver().drain(lanes))).containsExactly("a1", "a2", "a3");
    }

    @Test
    default void aKeyStaysBlockedWhenItsOwnerDiesWithARetry() {
        driver().append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        fail(lanes, "a");
        backend().age(DELAY.plusSeconds(1));
        lanes = driver().takeLanes("r2");
        assertThat(names(driver().claim(lanes))).containsExactly("a1");
        backend().age(LEASE.plusSeconds(1));
        lanes = driver().takeLanes("r3");

        List<ClaimedEvent> again = driver().claim(lanes);
        assertThat(names(again)).containsExactly("a1");
        assertThat(again.get(0).retryCount()).isEqualTo(2);
        driver().settle(lanes, again, PublishOutcome.Published::new);
        assertThat(names(driver().drain(lanes))).containsExactly("a2");
    }

    @Test
    default void anUncountedRetryIsDelayedButNotCounted() {
        driver().append(event("a", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(lanes, driver().claim(lanes), c -> new PublishOutcome.Retry(c, DELAY, "partition out", false));
        assertThat(driver().claim(lanes)).isEmpty();
        backend().age(DELAY.plusSeconds(1));
        assertThat(driver().claim(lanes)).singleElement().satisfies(c -> {
            assertThat(c.retryCount()).isZero();
            assertThat(c.retried()).isTrue();
        });
    }

    @Test
    default void aFailureIsCountedOnceWhenItsAnswerIsLost() {
        driver().append(event("a", 1), event("b", 1), event("c", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        for (int failures = 1; failures <= 3; failures++) {
            List<ClaimedEvent> claims = driver().claim(lanes);
            assertThat(claims).hasSize(3);
            driver().settle(lanes, claims, RetryTests::failed);
            for (ClaimedEvent claimed : claims) {
                store().reconcile(driver().leaseOf(lanes, claimed), List.of(failed(claimed)));
                EventRecord record = driver().record(claimed.event().id());
                assertThat(record.retryCount()).isEqualTo(claimed.event().key().equals("a") ? 0 : failures);
            }
            backend().age(DELAY.plusSeconds(1));
            lanes = driver().takeLanes("r" + (failures + 1));
        }
    }

    /** The failure of key a is not counted; those of b and c are. Key c is due again at once. */
    private static PublishOutcome failed(ClaimedEvent claimed) {
        String key = claimed.event().key();
        return new PublishOutcome.Retry(claimed, key.equals("c") ? Duration.ZERO : DELAY, "no", !key.equals("a"));
    }

    @Test
    default void aReleasedEventKeepsItsPlaceInItsKey() {
        driver().append(event("a", 1), event("a", 2), event("a", 3), event("a", 4));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        fail(lanes, "a");
        backend().age(DELAY.plusSeconds(1));
        lanes = driver().takeLanes("r2");
        List<ClaimedEvent> head = driver().claim(lanes);
        driver().settle(lanes, head, PublishOutcome.Published::new);
        Lease lease = driver().leaseOf(lanes, head.get(0));

        List<ClaimedEvent> some = store().advance(lease, List.of(), 2);
        List<PublishOutcome> unsent =
                some.stream().<PublishOutcome>map(PublishOutcome.Released::new).toList();
        List<ClaimedEvent> again = store().advance(lease, unsent, 2);

        assertThat(numbers(some).get(0)).isEqualTo(2);
        assertThat(numbers(again)).isEqualTo(numbers(some));
    }

    @Test
    default void manyEventsOfABlockedKeyDoNotStarveTheOthers() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().append(event("a", 1));
        fail(lanes, "a");
        driver().appendTogether(IntStream.rangeClosed(2, 400)
                .mapToObj(n -> event("a", n))
                .toArray(Event[]::new));
        Event other = event("a-other", 1);
        driver().append(other);

        driver().drain(lanes);

        assertThat(driver().state(other)).isEqualTo(EventState.PUBLISHED);
        assertThat(store().ready(lanes.keySet())).isEmpty();
        backend().age(DELAY.plusSeconds(1));
        assertThat(numbers(driver().drain(driver().takeLanes("r2"))))
                .hasSize(400)
                .isSorted();
    }

    @Test
    default void aKeyContinuesAfterADeadLetter() {
        Event dead = event("a", 1);
        driver().append(dead, event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        fail(lanes, "a");
        backend().age(DELAY.plusSeconds(1));
        driver().settle(lanes, driver().claim(lanes), c -> new PublishOutcome.Dead(c, "poison\0 \ud83d\ude9a", false));

        assertThat(names(driver().drain(lanes))).containsExactly("a2");
        EventRecord record = driver().record(dead.id());
        assertThat(record.state()).isEqualTo(EventState.DEAD_LETTER);
        assertThat(record.lastError()).startsWith("poison");
        assertThat(record.retryCount()).isEqualTo(2);
    }

    @Test
    default void aBlockingDeadLetterBlocksItsKey() {
        driver().append(event("a", 1), event("a", 2), event("b", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().settle(lanes, driver().claim(lanes), c -> {
            if (c.event().key().equals("b")) {
                return new PublishOutcome.Published(c);
            }
            return StoreDriver.number(c) == 1
                    ? new PublishOutcome.Dead(c, "poison", true)
                    : new PublishOutcome.Parked(c);
        });
        driver().append(event("a", 3), event("b", 2));
        backend().age(Duration.ofDays(30));
        lanes = driver().takeLanes("r2");

        assertThat(names(driver().drain(lanes))).containsExactly("b2");
    }

    private void fail(Map<Integer, Lease> lanes, String key) {
        driver().fail(lanes, key, DELAY);
    }
}

package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.LEASE;
import static io.waybill.testkit.store.StoreDriver.event;
import static io.waybill.testkit.store.StoreDriver.names;
import static io.waybill.testkit.store.StoreDriver.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Disturbances that a store recovers from without an operator: the clock of the database is set back, a row is deleted by hand, a
 * key has very many parked events. To test a store, write a class that extends this one and implement {@link #open()}, which
 * returns a new, empty outbox on a real database. {@link StoreContract} and {@link OperatorContract} are extended in the same way.
 */
public abstract class RecoveryContract extends StoreFixture {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int MANY = 2_000;

    /** After the step, the lease of a dead owner expires an hour in the future. It must last for its own length only. */
    @Test
    void aLeaseExpiresAfterTheDatabaseClockWasSetBack() {
        Map<Integer, Lease> first = driver().takeLanes("r1");
        backend().age(HOUR.negated());
        assertThat(driver().takeLanes("r2"))
                .as("lanes of an owner that may be alive")
                .isEmpty();

        backend().age(LEASE.plusSeconds(1));
        assertThat(driver().takeLanes("r2").keySet()).isEqualTo(first.keySet());
        assertThat(driver().beat("r2").relays()).containsExactly("r2");
    }

    @Test
    void aLiveOwnerKeepsItsLanesAfterTheDatabaseClockWasSetBack() {
        driver().takeLanes("r1");
        backend().age(HOUR.negated());
        for (int i = 0; i < 3; i++) {
            driver().beat("r2");
            driver().beat("r1");
            backend().age(LEASE.dividedBy(2));
        }
        driver().beat("r1");
        assertThat(driver().takeLanes("r2")).isEmpty();
    }

    @Test
    void aRetryIsNotDelayedByAClockThatWasSetBack() {
        driver().append(event("a", 1), event("a", 2), event("b", 1));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().fail(lanes, "a", DELAY);
        backend().age(HOUR.negated());
        driver().beat("r1");

        assertThat(names(driver().drain(lanes))).containsExactly("a1", "a2");
    }

    @Test
    void aKeyContinuesWhenItsFailingEventIsDeletedByHand() {
        Event failing = event("a", 1);
        driver().append(failing, event("a", 2), event("b", 1), event("b", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().fail(lanes, "a", DELAY);
        driver().append(event("c", 1), event("c", 2));
        driver().fail(lanes, "c", DELAY);
        backend().delete(failing.id());
        assertThat(driver().claim(lanes)).isEmpty();

        store().prune(Duration.ofDays(1), 10);

        assertThat(names(driver().drain(lanes))).containsExactly("a2");
        backend().age(DELAY.plusSeconds(1));
        assertThat(names(driver().drain(driver().takeLanes("r2")))).containsExactly("c1", "c2");
    }

    /** A single transaction that releases very many events would exceed the timeout. */
    @Test
    void parkedEventsAreReleasedInPartsWhileOtherKeysContinue() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().append(event("a", 1));
        driver().fail(lanes, "a", DELAY);
        driver().appendTogether(IntStream.rangeClosed(2, MANY)
                .mapToObj(n -> event("a", n))
                .toArray(Event[]::new));
        driver().drain(lanes);
        assertThat(backend().view().status().parked()).isEqualTo(MANY - 1);

        backend().age(DELAY.plusSeconds(1));
        lanes = driver().takeLanes("r2");
        List<ClaimedEvent> head = driver().claim(lanes);
        assertThat(names(head)).containsExactly("a1");
        Lease lease = driver().leaseOf(lanes, head.get(0));
        String other = driver().appendBeside(head.get(0));
        driver().append(event("a", MANY + 1));
        List<ClaimedEvent> batch = send(lease, head);
        assertThat(backend().view().status().parked()).as("parked events").isGreaterThan(MANY / 2);

        List<Integer> sent = new ArrayList<>();
        while (!names(batch).contains(other)) {
            sent.addAll(numbers(batch));
            batch = send(lease, batch);
        }
        assertThat(sent).as("events sent before the other key").hasSizeLessThan(MANY / 2);

        batch.stream().filter(c -> c.event().key().equals("a")).forEach(c -> sent.add(StoreDriver.number(c)));
        send(lease, batch, 0);
        backend().age(LEASE.plusSeconds(1));
        lanes = driver().takeLanes("r3");
        Lease next = driver().leaseOf(lanes, head.get(0));
        batch = List.of();
        while (!batch.isEmpty() || !store().ready(List.of(next.lane())).isEmpty()) {
            batch = send(next, batch);
            sent.addAll(numbers(batch));
        }
        assertThat(sent).isEqualTo(IntStream.rangeClosed(2, MANY + 1).boxed().toList());
        assertThat(backend().view().status().parked()).isZero();
    }

    private List<ClaimedEvent> send(Lease lease, List<ClaimedEvent> batch) {
        return send(lease, batch, 100);
    }

    /** Publishes this batch and claims the next. */
    private List<ClaimedEvent> send(Lease lease, List<ClaimedEvent> batch, int limit) {
        return store().advance(
                        lease,
                        batch.stream()
                                .<PublishOutcome>map(PublishOutcome.Published::new)
                                .toList(),
                        limit);
    }
}

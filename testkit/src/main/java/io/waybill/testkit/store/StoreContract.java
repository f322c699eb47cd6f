package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.LEASE;
import static io.waybill.testkit.store.StoreDriver.event;
import static io.waybill.testkit.store.StoreDriver.names;
import static io.waybill.testkit.store.StoreDriver.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a relay may rely on, whatever the store: leases, fences, order, durable states. Operators' side: {@link OperatorContract}. */
public abstract class StoreContract {
    private static final Duration DELAY = Duration.ofMinutes(5);

    private static final int KEYS = 40;

    private StoreBackend backend;
    private StoreDriver driver;
    private OutboxStore store;

    /** Opens a fresh, empty outbox. */
    protected abstract StoreBackend open();

    @BeforeEach
    final void openBackend() {
        backend = open();
        driver = new StoreDriver(backend);
        store = backend.store();
    }

    @AfterEach
    final void closeBackend() {
        backend.close();
    }

    @Test
    void eventsOfAKeyAreClaimedInAppendOrder() {
        driver.append(event("a", 1), event("b", 1), event("a", 2), event("a", 3), event("b", 2));

        List<ClaimedEvent> claims = driver.claim(driver.takeLanes("r1"));

        assertThat(names(claims)).containsSubsequence("a1", "a2", "a3").containsSubsequence("b1", "b2");
        assertThat(claims).hasSize(5).allSatisfy(c -> assertThat(c.retryCount()).isZero());
    }

    @Test
    void anEventComesBackAsItWasWritten() {
        Event written = Event.builder("order.placed.v2", "Order", "ключ-42 \"'\\")
                .version(2)
                .aggregateVersion(7)
                .topic("orders")
                .payload("{\"b\": 1.50, \"a\": \"\\u0000 ü 🚚\", \"b\": 2}")
                .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .header("quote\"d", "line\nbreak\ttab")
                .occurredAt(Instant.parse("2026-02-03T04:05:06.123456Z"))
                .build();
        driver.append(written);

        Event read = driver.claim(driver.takeLanes("r1")).get(0).event();

        assertThat(read).usingRecursiveComparison().isEqualTo(written);
    }

    /** Small, large and compressible payloads; a store may leave large ones in the database until there is room for them. */
    @Test
    void aClaimStopsAtItsBytesAndTheNextGoesOn() {
        List<Event> written = new ArrayList<>();
        for (int n = 0; n < 40; n++) {
            int length = n % 4 == 0 ? 60_000 : n % 4 == 1 ? 5_000 : 100;
            written.add(sized("a", n, length, n % 8 == 0));
        }
        driver.appendTogether(written.toArray(Event[]::new));
        Lease lease = onlyLane("a");
        List<Event> read = new ArrayList<>();
        List<PublishOutcome> sent = List.of();
        int claims = 0;
        while (true) {
            List<ClaimedEvent> batch = store.advance(List.of(new LaneRequest(lease, sent, 100, 100_000)))
                    .get(0);
            if (batch.isEmpty()) {
                break;
            }
            claims++;
            assertThat(bytes(batch.subList(0, batch.size() - 1))).isLessThan(100_000);
            batch.forEach(claimed -> read.add(claimed.event()));
            sent = batch.stream()
                    .<PublishOutcome>map(PublishOutcome.Published::new)
                    .toList();
        }

        assertThat(read).usingRecursiveFieldByFieldElementComparator().containsExactlyElementsOf(written);
        assertThat(claims).isBetween(5, 12);
        assertThat(driver.drain(driver.takeLanes("r2"))).isEmpty();
    }

    @Test
    void anEventLargerThanAllBytesIsClaimedAlone() {
        driver.append(sized("a", 1, 50_000, false), sized("a", 2, 50_000, false));
        Lease lease = onlyLane("a");

        List<ClaimedEvent> first = store.advance(List.of(new LaneRequest(lease, List.of(), 100, 10)))
                .get(0);
        List<PublishOutcome> sent = first.stream()
                .<PublishOutcome>map(PublishOutcome.Published::new)
                .toList();
        List<ClaimedEvent> second =
                store.advance(List.of(new LaneRequest(lease, sent, 100, 10))).get(0);

        assertThat(first).hasSize(1);
        assertThat(second).hasSize(1);
        assertThat(second.get(0).position()).isGreaterThan(first.get(0).position());
    }

    /** After an outage of a topic, hundreds of large events of a key may be due at once. */
    @Test
    void retriesStopAtTheBytesToo() {
        for (int n = 0; n < 12; n++) {
            driver.append(sized("a", n, 30_000, false));
        }
        Lease lease = onlyLane("a");
        List<ClaimedEvent> all = store.advance(lease, List.of(), 100);
        List<PublishOutcome> later = new ArrayList<>();
        later.add(new PublishOutcome.Retry(all.get(0), Duration.ofMillis(1), "down", true));
        all.subList(1, all.size()).forEach(claimed -> later.add(new PublishOutcome.Parked(claimed)));
        store.advance(lease, later, 0);
        backend.age(DELAY);

        List<Integer> order = new ArrayList<>();
        List<PublishOutcome> sent = List.of();
        for (int i = 0; i < 40 && order.size() < 12; i++) {
            List<ClaimedEvent> batch = store.advance(List.of(new LaneRequest(lease, sent, 100, 100_000)))
                    .get(0);
            assertThat(batch.size()).isLessThanOrEqualTo(4);
            batch.forEach(claimed -> order.add(StoreDriver.number(claimed)));
            sent = batch.stream()
                    .<PublishOutcome>map(PublishOutcome.Published::new)
                    .toList();
        }

        assertThat(order)
                .containsExactlyElementsOf(IntStream.range(0, 12).boxed().toList());
    }

    private static long bytes(List<ClaimedEvent> claims) {
        return claims.stream()
                .mapToLong(claimed -> claimed.event().payload().length())
                .sum();
    }

    /** @param compressible whether a database can store it in much less */
    private static Event sized(String key, int number, int length, boolean compressible) {
        Random random = new Random(number);
        String text = random.ints(length, 'a', compressible ? 'b' : 'z')
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
        return Event.builder("order.placed", "Order", key)
                .payload("{\"n\": " + number + ", \"text\": \"" + text + "\"}")
                .header("trace", "t" + number)
                .build();
    }

    private Lease onlyLane(String key) {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        Set<Integer> ready = store.ready(lanes.keySet());
        assertThat(ready).as("lanes of key " + key).hasSize(1);
        return Objects.requireNonNull(lanes.get(ready.iterator().next()));
    }

    @Test
    void rolledBackEventsAreNeverClaimed() {
        try (StoreBackend.Writer writer = backend.begin()) {
            writer.append(event("a", 1));
        }
        assertThat(driver.claim(driver.takeLanes("r1"))).isEmpty();
    }

    @Test
    void aTransactionThatCommitsLateIsNeitherLostNorWaitedFor() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        try (StoreBackend.Writer late = backend.begin()) {
            late.append(event("late", 1));
            driver.append(event("early", 1));
            assertThat(names(driver.drain(lanes))).containsExactly("early1");
            late.commit();
        }
        assertThat(names(driver.drain(lanes))).containsExactly("late1");
    }

    @Test
    void aClaimedEventIsNotClaimedTwice() {
        driver.append(event("a", 1));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        ClaimedEvent claimed = driver.claim(lanes).get(0);
        driver.settle(lanes, List.of(claimed), PublishOutcome.Published::new);

        assertThat(driver.claim(lanes)).isEmpty();
        assertThat(driver.takeLanes("r2")).isEmpty();
    }

    @Test
    void oneTransactionSettlesABatchAndClaimsTheNext() {
        driver.append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        List<ClaimedEvent> first =
                store.advance(driver.leaseOf(lanes, driver.claim(lanes).get(0)), List.of(), 1);
        Lease lease = driver.leaseOf(lanes, first.get(0));

        List<ClaimedEvent> second = store.advance(lease, List.of(new PublishOutcome.Published(first.get(0))), 1);

        assertThat(numbers(first)).containsExactly(1);
        assertThat(numbers(second)).containsExactly(2);
        assertThat(driver.record(first.get(0).event().id()).state()).isEqualTo(EventState.PUBLISHED);
    }

    @Test
    void oneTransactionAdvancesManyLanes() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        appendToManyKeys(1);
        List<LaneRequest> turns = turns(lanes, List.of());
        List<List<ClaimedEvent>> first = store.advance(turns);
        appendToManyKeys(2);

        List<List<ClaimedEvent>> second = store.advance(turns(lanes, first));
        assertThat(store.advance(turns(lanes, second))).hasSameSizeAs(turns).allMatch(List::isEmpty);

        for (int i = 0; i < turns.size(); i++) {
            int lane = turns.get(i).lease().lane();
            assertThat(first.get(i))
                    .as("the lane's own")
                    .allSatisfy(c -> assertThat(driver.leaseOf(lanes, c).lane()).isEqualTo(lane));
            assertThat(first.get(i)).isSortedAccordingTo(Comparator.comparingLong(ClaimedEvent::position));
            assertThat(numbers(first.get(i))).containsOnly(1);
            assertThat(keys(second.get(i))).as("one more of each key").isEqualTo(keys(first.get(i)));
        }
        assertThat(all(first)).hasSize(KEYS);
        assertThat(all(second))
                .hasSize(KEYS)
                .allSatisfy(
                        c -> assertThat(driver.record(c.event().id()).state()).isEqualTo(EventState.PUBLISHED));
    }

    @Test
    void whenOneOfManyLeasesIsLostNothingIsWrittenForTheOthers() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        appendToManyKeys(1);
        List<LaneRequest> turns = turns(lanes, List.of());
        List<List<ClaimedEvent>> claims = store.advance(turns);
        Lease lost = turns.get(turns.size() / 2).lease();
        store.release(lost);
        appendToManyKeys(2);

        assertThatThrownBy(() -> store.advance(turns(lanes, claims)))
                .isInstanceOfSatisfying(
                        FencedException.class, e -> assertThat(e.lease()).isEqualTo(lost));

        for (LaneRequest turn : turns(lanes, claims)) {
            if (!turn.lease().equals(lost)) {
                assertThat(turn.outcomes())
                        .extracting(
                                one -> driver.record(one.claimed().event().id()).state())
                        .containsOnly(EventState.CLAIMED);
                store.reconcile(turn.lease(), turn.outcomes());
                assertThat(numbers(store.advance(turn.lease(), List.of(), 100)))
                        .as("settled, and on")
                        .containsOnly(2);
            }
        }
    }

    @Test
    void manyLanesWhoseAnswerGotLostAreReconciledOneByOne() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        appendToManyKeys(1);
        List<List<ClaimedEvent>> first = store.advance(turns(lanes, List.of()));
        appendToManyKeys(2);
        List<LaneRequest> unanswered = turns(lanes, first);
        store.advance(unanswered);

        unanswered.forEach(turn -> store.reconcile(turn.lease(), turn.outcomes()));

        List<ClaimedEvent> again = all(store.advance(turns(lanes, List.of())));
        assertThat(again)
                .hasSize(KEYS)
                .allSatisfy(c -> assertThat(c.retryCount()).isZero());
        assertThat(numbers(again)).containsOnly(2);
    }

    @Test
    void aFailingKeyAmongManyLanesHoldsBackItsOwnOnly() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        appendToManyKeys(1);
        advanceOnce(
                lanes,
                sent -> sent.claimed().event().key().equals("many-7")
                        ? new PublishOutcome.Retry(sent.claimed(), DELAY, "no", true)
                        : sent);
        appendToManyKeys(2);

        List<List<ClaimedEvent>> others = store.advance(turns(lanes, List.of()));
        assertThat(all(others)).hasSize(KEYS - 1);
        assertThat(keys(all(others))).doesNotContain("many-7");

        store.advance(turns(lanes, others));
        backend.age(DELAY.plusSeconds(1));
        assertThat(numbers(driver.drain(driver.takeLanes("r2")))).containsExactly(1, 2);
    }

    @Test
    void retriesThatAreDueAreClaimedInManyLanesTogether() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        appendToManyKeys(1);
        advanceOnce(lanes, sent -> new PublishOutcome.Retry(sent.claimed(), Duration.ZERO, "no", true));
        appendToManyKeys(2);

        List<ClaimedEvent> again = all(store.advance(turns(lanes, List.of())));

        assertThat(again).hasSize(KEYS).allSatisfy(claimed -> {
            assertThat(claimed.retried()).isTrue();
            assertThat(claimed.retryCount()).isEqualTo(1);
        });
        assertThat(numbers(again)).containsOnly(1);
    }

    @Test
    void aLaneWithMuchToDoHidesNoOther() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        appendToManyKeys(1);
        List<List<ClaimedEvent>> few = store.advance(turns(lanes, List.of()));
        Set<Integer> used = busyLanes(few);
        store.advance(turns(lanes, few));
        for (List<ClaimedEvent> busy : few) {
            if (!busy.isEmpty()) {
                driver.appendTogether(IntStream.rangeClosed(2, 1 + 2 * lanes.size())
                        .mapToObj(number -> event(busy.get(0).event().key(), number))
                        .toArray(Event[]::new));
            }
        }

        List<LaneRequest> narrow = turns(lanes, List.of()).stream()
                .map(turn -> new LaneRequest(turn.lease(), List.of(), 1))
                .toList();
        List<List<ClaimedEvent>> claims = store.advance(narrow);

        assertThat(busyLanes(claims)).isEqualTo(used);
        assertThat(claims).allSatisfy(own -> assertThat(own).hasSizeLessThanOrEqualTo(1));
    }

    @Test
    void eachOfManyLanesHasItsOwnLimit() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        IntStream.rangeClosed(1, 4).forEach(this::appendToManyKeys);
        List<LaneRequest> turns = new ArrayList<>();
        lanes.values().forEach(lease -> turns.add(new LaneRequest(lease, List.of(), 1 + turns.size() % 3)));

        List<List<ClaimedEvent>> claims = store.advance(turns);

        for (int i = 0; i < turns.size(); i++) {
            assertThat(claims.get(i)).hasSizeLessThanOrEqualTo(turns.get(i).limit());
        }
        assertThat(busyLanes(claims)).hasSizeGreaterThan(1);
    }

    @Test
    void aRetryThatIsDueTakesItsPlaceFromTheOthers() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        failOneOfMany(lanes);
        List<LaneRequest> narrow = turns(lanes, List.of()).stream()
                .map(turn -> new LaneRequest(turn.lease(), List.of(), 2))
                .toList();

        List<List<ClaimedEvent>> claims = store.advance(narrow);

        assertThat(claims).allSatisfy(own -> assertThat(own).hasSizeLessThanOrEqualTo(2));
        assertThat(companyOf("many-1", claims)).as("with another").hasSize(2);
    }

    @Test
    void aRetryThatMayHaveEndedItsRelayHasNoCompany() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        failOneOfMany(lanes);
        assertThat(companyOf("many-1", store.advance(turns(lanes, List.of()))))
                .as("when it was not known yet")
                .hasSizeGreaterThan(1);
        backend.age(LEASE.plusSeconds(1));
        lanes = driver.takeLanes("r2");

        assertThat(companyOf("many-1", store.advance(turns(lanes, List.of())))).hasSize(1);
    }

    /** One key's first event is due again, and more of each key waits. */
    private void failOneOfMany(Map<Integer, Lease> lanes) {
        appendToManyKeys(1);
        advanceOnce(
                lanes,
                sent -> sent.claimed().event().key().equals("many-1")
                        ? new PublishOutcome.Retry(sent.claimed(), Duration.ZERO, "no", true)
                        : sent);
        appendToManyKeys(2);
        appendToManyKeys(3);
    }

    /** What was claimed in the lane of this key, which is among it. */
    private static List<ClaimedEvent> companyOf(String key, List<List<ClaimedEvent>> claims) {
        return claims.stream()
                .filter(own -> keys(own).contains(key))
                .findFirst()
                .orElseThrow();
    }

    /** Claims in all lanes, and settles what was claimed. */
    private void advanceOnce(Map<Integer, Lease> lanes, UnaryOperator<PublishOutcome> result) {
        store.advance(turns(lanes, store.advance(turns(lanes, List.of()))).stream()
                .map(turn -> new LaneRequest(
                        turn.lease(), turn.outcomes().stream().map(result).toList(), 0))
                .toList());
    }

    /** By their place in the list of turns. */
    private static Set<Integer> busyLanes(List<List<ClaimedEvent>> claims) {
        return IntStream.range(0, claims.size())
                .filter(lane -> !claims.get(lane).isEmpty())
                .boxed()
                .collect(Collectors.toSet());
    }

    private void appendToManyKeys(int number) {
        driver.appendTogether(IntStream.rangeClosed(1, KEYS)
                .mapToObj(key -> event("many-" + key, number))
                .toArray(Event[]::new));
    }

    /** The last lane first: a store puts them in its own order. */
    private static List<LaneRequest> turns(Map<Integer, Lease> lanes, List<List<ClaimedEvent>> claims) {
        List<Lease> leases = new ArrayList<>(lanes.values());
        Collections.reverse(leases);
        List<LaneRequest> turns = new ArrayList<>();
        for (int i = 0; i < leases.size(); i++) {
            List<ClaimedEvent> claimed = claims.isEmpty() ? List.of() : claims.get(i);
            turns.add(new LaneRequest(
                    leases.get(i),
                    claimed.stream()
                            .<PublishOutcome>map(PublishOutcome.Published::new)
                            .toList(),
                    100));
        }
        return turns;
    }

    private static List<ClaimedEvent> all(List<List<ClaimedEvent>> claims) {
        return claims.stream().flatMap(List::stream).toList();
    }

    private static List<String> keys(List<ClaimedEvent> claims) {
        return claims.stream().map(claimed -> claimed.event().key()).toList();
    }

    @Test
    void aLaneHasOneOwnerUntilItsLeaseExpires() {
        Map<Integer, Lease> first = driver.takeLanes("r1");
        assertThat(driver.takeLanes("r2")).isEmpty();

        backend.age(LEASE.plusSeconds(1));
        Map<Integer, Lease> second = driver.takeLanes("r2");

        assertThat(second.keySet()).isEqualTo(first.keySet());
        first.values()
                .forEach(old -> assertThat(second.values()).anySatisfy(lease -> {
                    assertThat(lease.lane()).isEqualTo(old.lane());
                    assertThat(lease.fence()).isGreaterThan(old.fence());
                }));
    }

    @Test
    void aHeartbeatKeepsTheLease() {
        driver.takeLanes("r1");
        for (int i = 0; i < 3; i++) {
            backend.age(LEASE.multipliedBy(2).dividedBy(3));
            driver.beat("r1");
        }
        assertThat(driver.takeLanes("r2")).isEmpty();
    }

    @Test
    void theRollNamesLiveRelaysOnly() {
        driver.beat("r2");
        backend.age(LEASE.plusSeconds(1));
        driver.beat("r3");
        RelayRoster roll = driver.beat("r1");

        assertThat(roll.relays()).containsExactly("r1", "r3");
    }

    @Test
    void theRollSaysWhichRelaysReachTheirBroker() {
        driver.beat("serves");
        store.heartbeat(new RelayReport("cut-off", "here:1", "test", 0, 0, false), LEASE);

        RelayRoster roll = driver.beat("serves");
        assertThat(roll.relays()).containsExactly("cut-off", "serves");
        assertThat(roll.serving()).containsExactly("serves");

        driver.beat("cut-off");
        assertThat(driver.beat("serves").serving()).containsExactly("cut-off", "serves");
    }

    @Test
    void aReleasedLaneIsFreeAtOnce() {
        Lease lease = driver.takeLanes("r1").values().iterator().next();
        store.release(lease);
        assertThat(driver.takeLanes("r2").keySet()).containsExactly(lease.lane());
    }

    @Test
    void aRelayThatLeavesGivesUpEverything() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        store.leave("r1");

        assertThat(driver.beat("r2").relays()).containsExactly("r2");
        assertThat(driver.takeLanes("r2").keySet()).isEqualTo(lanes.keySet());
    }

    @Test
    void aLateOwnerChangesNothing() {
        Event event = event("a", 1);
        driver.append(event, event("a", 2));
        Map<Integer, Lease> old = driver.takeLanes("r1");
        ClaimedEvent claimed = driver.claim(old).get(0);
        backend.age(LEASE.plusSeconds(1));
        Map<Integer, Lease> current = driver.takeLanes("r2");
        Lease late = driver.leaseOf(old, claimed);

        List<PublishOutcome> outcomes = List.of(new PublishOutcome.Published(claimed));
        assertThatThrownBy(() -> store.advance(late, outcomes, 0)).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store.advance(late, List.of(), 10)).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store.reconcile(late, outcomes)).isInstanceOf(FencedException.class);
        store.release(late);

        assertThat(driver.takeLanes("r3")).as("the late release freed nothing").isEmpty();
        assertThat(driver.state(event)).isNotEqualTo(EventState.PUBLISHED);
        assertThat(names(driver.drain(current))).containsExactly("a1", "a2");
    }

    @Test
    void claimsOfADeadOwnerAreTakenOverAtOnceAndCounted() {
        driver.append(event("a", 1), event("b", 1));
        driver.claim(driver.takeLanes("r1"));
        backend.age(LEASE.plusSeconds(1));

        List<ClaimedEvent> again = driver.claim(driver.takeLanes("r2"));

        assertThat(names(again)).containsExactlyInAnyOrder("a1", "b1");
        assertThat(again).allSatisfy(c -> assertThat(c.retryCount()).isEqualTo(1));
    }

    @Test
    void claimsWhoseAnswerGotLostAreTakenAgainUncounted() {
        driver.append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        ClaimedEvent claimed = driver.claim(lanes).get(0);

        store.reconcile(driver.leaseOf(lanes, claimed), List.of());

        List<ClaimedEvent> again = driver.claim(lanes);
        assertThat(numbers(again)).containsExactly(1, 2);
        assertThat(again).allSatisfy(c -> assertThat(c.retryCount()).isZero());
    }

    @Test
    void reconcilingASettledBatchAgainChangesNothing() {
        driver.append(event("a", 1));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        ClaimedEvent claimed = driver.claim(lanes).get(0);
        Lease lease = driver.leaseOf(lanes, claimed);
        List<PublishOutcome> outcomes = List.of(new PublishOutcome.Published(claimed));
        store.advance(lease, outcomes, 0);

        store.reconcile(lease, outcomes);
        store.reconcile(lease, List.of(new PublishOutcome.Retry(claimed, DELAY, "late", true)));

        EventRecord record = driver.record(claimed.event().id());
        assertThat(record.state()).isEqualTo(EventState.PUBLISHED);
        assertThat(record.retryCount()).isZero();
    }

    @Test
    void aFailureWhoseAnswerGotLostIsCountedOnce() {
        driver.append(event("a", 1), event("b", 1), event("c", 1));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        for (int failures = 1; failures <= 3; failures++) {
            List<ClaimedEvent> claims = driver.claim(lanes);
            assertThat(claims).hasSize(3);
            driver.settle(lanes, claims, StoreContract::failed);
            for (ClaimedEvent claimed : claims) {
                store.reconcile(driver.leaseOf(lanes, claimed), List.of(failed(claimed)));
                EventRecord record = driver.record(claimed.event().id());
                assertThat(record.retryCount()).isEqualTo(claimed.event().key().equals("a") ? 0 : failures);
            }
            backend.age(DELAY.plusSeconds(1));
            lanes = driver.takeLanes("r" + (failures + 1));
        }
    }

    /** Key a fails without being counted, b and c are; c is due again at once. */
    private static PublishOutcome failed(ClaimedEvent claimed) {
        String key = claimed.event().key();
        return new PublishOutcome.Retry(claimed, key.equals("c") ? Duration.ZERO : DELAY, "no", !key.equals("a"));
    }

    @Test
    void settlingWhatIsNotClaimedIsRefused() {
        driver.append(event("a", 1));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        ClaimedEvent claimed = driver.claim(lanes).get(0);
        Lease lease = driver.leaseOf(lanes, claimed);
        List<PublishOutcome> outcomes = List.of(new PublishOutcome.Published(claimed));
        store.advance(lease, outcomes, 0);

        assertThatThrownBy(() -> store.advance(lease, outcomes, 10)).isInstanceOf(StoreException.class);
    }

    @Test
    void aFailedEventHoldsBackItsOwnKeyOnly() {
        driver.append(event("a", 1), event("a", 2), event("b", 1));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        fail(lanes, "a");
        driver.append(event("a", 3), event("b", 2));

        assertThat(names(driver.drain(lanes))).containsExactly("b2");

        backend.age(DELAY.plusSeconds(1));
        assertThat(names(driver.drain(lanes))).containsExactly("a1", "a2", "a3");
    }

    private void fail(Map<Integer, Lease> lanes, String key) {
        driver.fail(lanes, key, DELAY);
    }

    @Test
    void aKeyStaysHeldBackThroughEveryFurtherFailure() {
        driver.append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        fail(lanes, "a");
        for (int failures = 2; failures <= 4; failures++) {
            backend.age(DELAY.plusSeconds(1));
            List<ClaimedEvent> again = driver.claim(lanes);
            assertThat(names(again)).containsExactly("a1");
            assertThat(again.get(0).retryCount()).isEqualTo(failures - 1);
            driver.settle(lanes, again, c -> new PublishOutcome.Retry(c, DELAY, "still no", true));
        }
        assertThat(driver.claim(lanes)).isEmpty();
    }

    /** What comes in the meantime is seen first by the transaction that records how it went. */
    @Test
    void whatCameMeanwhileFollowsTheEventBeforeIt() {
        driver.append(event("a", 1));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        ClaimedEvent first = driver.claim(lanes).get(0);
        Lease lease = driver.leaseOf(lanes, first);
        driver.append(event("a", 2));
        assertThat(store.advance(lease, List.of(new PublishOutcome.Retry(first, DELAY, "no", true)), 100))
                .as("behind one that failed")
                .isEmpty();

        backend.age(DELAY.plusSeconds(1));
        List<ClaimedEvent> again = store.advance(lease, List.of(), 100);
        assertThat(names(again)).containsExactly("a1");
        driver.append(event("a", 3));
        List<ClaimedEvent> next = store.advance(lease, List.of(new PublishOutcome.Published(again.get(0))), 100);
        List<ClaimedEvent> rest = new ArrayList<>(next);
        driver.settle(lanes, next, PublishOutcome.Published::new);
        rest.addAll(driver.drain(lanes));
        assertThat(names(rest)).as("behind one that went out at last").containsExactly("a2", "a3");
    }

    @Test
    void aKeyStaysHeldBackAcrossAChangeOfOwner() {
        driver.append(event("a", 1), event("a", 2));
        fail(driver.takeLanes("r1"), "a");
        backend.age(LEASE.plusSeconds(1));
        Map<Integer, Lease> lanes = driver.takeLanes("r2");
        driver.append(event("a", 3));

        assertThat(driver.claim(lanes)).isEmpty();
        backend.age(DELAY);
        assertThat(names(driver.drain(lanes))).containsExactly("a1", "a2", "a3");
    }

    @Test
    void anOwnerThatDiesWithARetryLeavesTheKeyHeldBack() {
        driver.append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        fail(lanes, "a");
        backend.age(DELAY.plusSeconds(1));
        lanes = driver.takeLanes("r2");
        assertThat(names(driver.claim(lanes))).containsExactly("a1");
        backend.age(LEASE.plusSeconds(1));
        lanes = driver.takeLanes("r3");

        List<ClaimedEvent> again = driver.claim(lanes);
        assertThat(names(again)).containsExactly("a1");
        assertThat(again.get(0).retryCount()).isEqualTo(2);
        driver.settle(lanes, again, PublishOutcome.Published::new);
        assertThat(names(driver.drain(lanes))).containsExactly("a2");
    }

    @Test
    void anUncountedRetryWaitsButCountsNothing() {
        driver.append(event("a", 1));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        driver.settle(lanes, driver.claim(lanes), c -> new PublishOutcome.Retry(c, DELAY, "partition out", false));
        assertThat(driver.claim(lanes)).isEmpty();
        backend.age(DELAY.plusSeconds(1));
        assertThat(driver.claim(lanes)).singleElement().satisfies(c -> {
            assertThat(c.retryCount()).isZero();
            assertThat(c.retried()).isTrue();
        });
    }

    @Test
    void releasedEventsAreAsBefore() {
        driver.append(event("a", 1), event("a", 2));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        driver.settle(lanes, driver.claim(lanes), PublishOutcome.Released::new);

        List<ClaimedEvent> again = driver.claim(lanes);

        assertThat(numbers(again)).containsExactly(1, 2);
        assertThat(again).allSatisfy(c -> assertThat(c.retryCount()).isZero());
    }

    @Test
    void whatIsReleasedKeepsItsPlaceInItsKey() {
        driver.append(event("a", 1), event("a", 2), event("a", 3), event("a", 4));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        fail(lanes, "a");
        backend.age(DELAY.plusSeconds(1));
        lanes = driver.takeLanes("r2");
        List<ClaimedEvent> head = driver.claim(lanes);
        driver.settle(lanes, head, PublishOutcome.Published::new);
        Lease lease = driver.leaseOf(lanes, head.get(0));

        List<ClaimedEvent> some = store.advance(lease, List.of(), 2);
        List<PublishOutcome> unsent =
                some.stream().<PublishOutcome>map(PublishOutcome.Released::new).toList();
        List<ClaimedEvent> again = store.advance(lease, unsent, 2);

        assertThat(numbers(some).get(0)).isEqualTo(2);
        assertThat(numbers(again)).isEqualTo(numbers(some));
    }

    @Test
    void aDeadLetterLetsItsKeyGoOn() {
        Event dead = event("a", 1);
        driver.append(dead, event("a", 2));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        fail(lanes, "a");
        backend.age(DELAY.plusSeconds(1));
        driver.settle(lanes, driver.claim(lanes), c -> new PublishOutcome.Dead(c, "poison\0 \ud83d\ude9a", false));

        assertThat(names(driver.drain(lanes))).containsExactly("a2");
        EventRecord record = driver.record(dead.id());
        assertThat(record.state()).isEqualTo(EventState.DEAD_LETTER);
        assertThat(record.lastError()).startsWith("poison");
        assertThat(record.retryCount()).isEqualTo(2);
    }

    @Test
    void aBlockingDeadLetterHoldsItsKeyBack() {
        driver.append(event("a", 1), event("a", 2), event("b", 1));
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        driver.settle(lanes, driver.claim(lanes), c -> {
            if (c.event().key().equals("b")) {
                return new PublishOutcome.Published(c);
            }
            return StoreDriver.number(c) == 1
                    ? new PublishOutcome.Dead(c, "poison", true)
                    : new PublishOutcome.Parked(c);
        });
        driver.append(event("a", 3), event("b", 2));
        backend.age(Duration.ofDays(30));
        lanes = driver.takeLanes("r2");

        assertThat(names(driver.drain(lanes))).containsExactly("b2");
    }

    @Test
    void anEventThatKillsItsRelaysSoonTravelsAlone() {
        driver.append(IntStream.rangeClosed(1, 200).mapToObj(n -> event("k", n)).toArray(Event[]::new));
        List<Integer> published = new ArrayList<>();
        int killer = 77;
        int deaths = 0;
        int mostInnocentDeaths = 0;
        for (int life = 0; life < 60 && published.size() < 199; life++) {
            Map<Integer, Lease> lanes = driver.takeLanes("relay-" + life);
            boolean alive = true;
            while (alive) {
                List<ClaimedEvent> batch = driver.claim(lanes);
                if (batch.isEmpty()) {
                    break;
                }
                for (ClaimedEvent c : batch) {
                    if (StoreDriver.number(c) != killer) {
                        mostInnocentDeaths = Math.max(mostInnocentDeaths, c.retryCount());
                    }
                }
                boolean deadly = numbers(batch).contains(killer);
                if (deadly && batch.get(0).retryCount() >= 5 && batch.size() == 1) {
                    driver.settle(lanes, batch, c -> new PublishOutcome.Dead(c, "kills its relay", false));
                    deaths = batch.get(0).retryCount();
                } else if (deadly) {
                    alive = false;
                    backend.age(LEASE.plusSeconds(1));
                } else {
                    driver.settle(lanes, batch, PublishOutcome.Published::new);
                    published.addAll(numbers(batch));
                }
            }
        }
        assertThat(deaths).isEqualTo(5);
        assertThat(mostInnocentDeaths).isLessThan(5);
        assertThat(published).hasSize(199).isSorted();
    }

    @Test
    void readyNamesTheLanesThatHaveWorkNow() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        assertThat(store.ready(lanes.keySet())).isEmpty();

        driver.append(event("a", 1));
        int lane = store.ready(lanes.keySet()).iterator().next();
        driver.settle(lanes, driver.claim(lanes), c -> new PublishOutcome.Retry(c, DELAY, "no", true));
        assertThat(store.ready(lanes.keySet())).isEmpty();

        backend.age(DELAY.plusSeconds(1));
        assertThat(store.ready(lanes.keySet())).containsExactly(lane);
        assertThat(store.ready(List.of())).isEmpty();
    }

    @Test
    void manyEventsOfAHeldKeyDoNotHideTheOthers() {
        Map<Integer, Lease> lanes = driver.takeLanes("r1");
        driver.append(event("a", 1));
        fail(lanes, "a");
        driver.appendTogether(
                IntStream.rangeClosed(2, 400).mapToObj(n -> event("a", n)).toArray(Event[]::new));
        Event other = event("a-other", 1);
        driver.append(other);

        driver.drain(lanes);

        assertThat(driver.state(other)).isEqualTo(EventState.PUBLISHED);
        assertThat(store.ready(lanes.keySet())).isEmpty();
        backend.age(DELAY.plusSeconds(1));
        assertThat(numbers(driver.drain(driver.takeLanes("r2")))).hasSize(400).isSorted();
    }
}

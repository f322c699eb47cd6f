package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.LEASE;
import static io.waybill.testkit.store.StoreDriver.event;
import static io.waybill.testkit.store.StoreDriver.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.admin.EventState;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Advancing several lanes in one transaction. */
interface SharedTransactionTests extends StoreTests {
    int KEYS = 40;

    @Test
    default void oneTransactionAdvancesManyLanes() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        appendToManyKeys(1);
        List<LaneRequest> requests = requests(lanes, List.of());
        List<List<ClaimedEvent>> first = store().advance(requests);
        appendToManyKeys(2);

        List<List<ClaimedEvent>> second = store().advance(requests(lanes, first));
        assertThat(store().advance(requests(lanes, second)))
                .hasSameSizeAs(requests)
                .allMatch(List::isEmpty);

        for (int i = 0; i < requests.size(); i++) {
            int lane = requests.get(i).lease().lane();
            assertThat(first.get(i))
                    .as("events of lane " + lane)
                    .allSatisfy(
                            c -> assertThat(driver().leaseOf(lanes, c).lane()).isEqualTo(lane));
            assertThat(first.get(i)).isSortedAccordingTo(Comparator.comparingLong(ClaimedEvent::position));
            assertThat(numbers(first.get(i))).containsOnly(1);
            assertThat(keys(second.get(i))).as("keys of the second claim").isEqualTo(keys(first.get(i)));
        }
        assertThat(all(first)).hasSize(KEYS);
        assertThat(all(second))
                .hasSize(KEYS)
                .allSatisfy(
                        c -> assertThat(driver().record(c.event().id()).state()).isEqualTo(EventState.PUBLISHED));
    }

    @Test
    default void aLostLeaseRollsBackAllLanes() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        appendToManyKeys(1);
        List<LaneRequest> requests = requests(lanes, List.of());
        List<List<ClaimedEvent>> claims = store().advance(requests);
        Lease lost = requests.get(requests.size() / 2).lease();
        store().release(lost);
        appendToManyKeys(2);

        assertThatThrownBy(() -> store().advance(requests(lanes, claims)))
                .isInstanceOfSatisfying(
                        FencedException.class, e -> assertThat(e.lease()).isEqualTo(lost));

        for (LaneRequest request : requests(lanes, claims)) {
            if (!request.lease().equals(lost)) {
                assertThat(request.outcomes())
                        .extracting(one ->
                                driver().record(one.claimed().event().id()).state())
                        .containsOnly(EventState.CLAIMED);
                store().reconcile(request.lease(), request.outcomes());
                assertThat(numbers(store().advance(request.lease(), List.of(), 100)))
                        .as("claims after reconciliation")
                        .containsOnly(2);
            }
        }
    }

    @Test
    default void afterALostAnswerEachLaneIsReconciled() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        appendToManyKeys(1);
        List<List<ClaimedEvent>> first = store().advance(requests(lanes, List.of()));
        appendToManyKeys(2);
        List<LaneRequest> unanswered = requests(lanes, first);
        store().advance(unanswered);

        unanswered.forEach(request -> store().reconcile(request.lease(), request.outcomes()));

        List<ClaimedEvent> again = all(store().advance(requests(lanes, List.of())));
        assertThat(again)
                .hasSize(KEYS)
                .allSatisfy(c -> assertThat(c.retryCount()).isZero());
        assertThat(numbers(again)).containsOnly(2);
    }

    @Test
    default void aFailingKeyBlocksNoOtherKey() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        appendToManyKeys(1);
        advanceOnce(
                lanes,
                sent -> sent.claimed().event().key().equals("many-7")
                        ? new PublishOutcome.Retry(sent.claimed(), DELAY, "no", true)
                        : sent);
        appendToManyKeys(2);

        List<List<ClaimedEvent>> others = store().advance(requests(lanes, List.of()));
        assertThat(all(others)).hasSize(KEYS - 1);
        assertThat(keys(all(others))).doesNotContain("many-7");

        store().advance(requests(lanes, others));
        backend().age(DELAY.plusSeconds(1));
        assertThat(numbers(driver().drain(driver().takeLanes("r2")))).containsExactly(1, 2);
    }

    @Test
    default void dueRetriesOfSeveralLanesAreClaimedTogether() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        appendToManyKeys(1);
        advanceOnce(lanes, sent -> new PublishOutcome.Retry(sent.claimed(), Duration.ZERO, "no", true));
        appendToManyKeys(2);

        List<ClaimedEvent> again = all(store().advance(requests(lanes, List.of())));

        assertThat(again).hasSize(KEYS).allSatisfy(claimed -> {
            assertThat(claimed.retried()).isTrue();
            assertThat(claimed.retryCount()).isEqualTo(1);
        });
        assertThat(numbers(again)).containsOnly(1);
    }

    @Test
    default void aBusyLaneDoesNotStarveTheOthers() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        appendToManyKeys(1);
        List<List<ClaimedEvent>> few = store().advance(requests(lanes, List.of()));
        Set<Integer> used = busyLanes(few);
        store().advance(requests(lanes, few));
        for (List<ClaimedEvent> busy : few) {
            if (!busy.isEmpty()) {
                driver().appendTogether(IntStream.rangeClosed(2, 1 + 2 * lanes.size())
                        .mapToObj(number -> event(busy.get(0).event().key(), number))
                        .toArray(Event[]::new));
            }
        }

        List<LaneRequest> narrow = requests(lanes, List.of()).stream()
                .map(request -> new LaneRequest(request.lease(), List.of(), 1))
                .toList();
        List<List<ClaimedEvent>> claims = store().advance(narrow);

        assertThat(busyLanes(claims)).isEqualTo(used);
        assertThat(claims).allSatisfy(own -> assertThat(own).hasSizeLessThanOrEqualTo(1));
    }

    @Test
    default void eachOfManyLanesHasItsOwnLimit() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        IntStream.rangeClosed(1, 4).forEach(this::appendToManyKeys);
        List<LaneRequest> requests = new ArrayList<>();
        lanes.values().forEach(lease -> requests.add(new LaneRequest(lease, List.of(), 1 + requests.size() % 3)));

        List<List<ClaimedEvent>> claims = store().advance(requests);

        for (int i = 0; i < requests.size(); i++) {
            assertThat(claims.get(i)).hasSizeLessThanOrEqualTo(requests.get(i).limit());
        }
        assertThat(busyLanes(claims)).hasSizeGreaterThan(1);
    }

    @Test
    default void aDueRetryCountsTowardsTheLimit() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        failOneOfMany(lanes);
        List<LaneRequest> narrow = requests(lanes, List.of()).stream()
                .map(request -> new LaneRequest(request.lease(), List.of(), 2))
                .toList();

        List<List<ClaimedEvent>> claims = store().advance(narrow);

        assertThat(claims).allSatisfy(own -> assertThat(own).hasSizeLessThanOrEqualTo(2));
        assertThat(claimsOfTheLaneWith("many-1", claims))
                .as("claims in the lane of the retry")
                .hasSize(2);
    }

    @Test
    default void aRetrySuspectedOfACrashIsClaimedAlone() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        failOneOfMany(lanes);
        assertThat(claimsOfTheLaneWith("many-1", store().advance(requests(lanes, List.of()))))
                .as("claims before the crash")
                .hasSizeGreaterThan(1);
        backend().age(LEASE.plusSeconds(1));
        lanes = driver().takeLanes("r2");

        assertThat(claimsOfTheLaneWith("many-1", store().advance(requests(lanes, List.of()))))
                .hasSize(1);
    }

    /** Makes the first event of one key due again and appends two more events to each key. */
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

    /** Returns the claims of the lane in which an event of this key was claimed. */
    private static List<ClaimedEvent> claimsOfTheLaneWith(String key, List<List<ClaimedEvent>> claims) {
        return claims.stream()
                .filter(own -> keys(own).contains(key))
                .findFirst()
                .orElseThrow();
    }

    /** Claims in all lanes, then settles the claims. */
    private void advanceOnce(Map<Integer, Lease> lanes, UnaryOperator<PublishOutcome> result) {
        store().advance(requests(lanes, store().advance(requests(lanes, List.of()))).stream()
                .map(request -> new LaneRequest(
                        request.lease(), request.outcomes().stream().map(result).toList(), 0))
                .toList());
    }

    /** Returns the indexes of the lanes with claims. */
    private static Set<Integer> busyLanes(List<List<ClaimedEvent>> claims) {
        return IntStream.range(0, claims.size())
                .filter(lane -> !claims.get(lane).isEmpty())
                .boxed()
                .collect(Collectors.toSet());
    }

    private void appendToManyKeys(int number) {
        driver().appendTogether(IntStream.rangeClosed(1, KEYS)
                .mapToObj(key -> event("many-" + key, number))
                .toArray(Event[]::new));
    }

    /** The requests are in descending lane order, to show that a store sorts them itself. */
    private static List<LaneRequest> requests(Map<Integer, Lease> lanes, List<List<ClaimedEvent>> claims) {
        List<Lease> leases = new ArrayList<>(lanes.values());
        Collections.reverse(leases);
        List<LaneRequest> requests = new ArrayList<>();
        for (int i = 0; i < leases.size(); i++) {
            List<ClaimedEvent> claimed = claims.isEmpty() ? List.of() : claims.get(i);
            requests.add(new LaneRequest(
                    leases.get(i),
                    claimed.stream()
                            .<PublishOutcome>map(PublishOutcome.Published::new)
                            .toList(),
                    100));
        }
        return requests;
    }

    private static List<ClaimedEvent> all(List<List<ClaimedEvent>> claims) {
        return claims.stream().flatMap(List::stream).toList();
    }

    private static List<String> keys(List<ClaimedEvent> claims) {
        return claims.stream().map(claimed -> claimed.event().key()).toList();
    }
}

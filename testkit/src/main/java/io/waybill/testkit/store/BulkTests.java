package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.admin.Action;
import io.waybill.admin.ActionRefusedException;
import io.waybill.admin.AuditFilter;
import io.waybill.admin.BulkOperation;
import io.waybill.admin.BulkOperation.Kind;
import io.waybill.admin.BulkOperation.State;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Actions on any number of events. */
interface BulkTests extends StoreTests {
    Action BULK = new Action("ann", "topic exists now");

    /** Longer than any test, so that a slow machine does not end it. */
    Duration RUNNER_LEASE = Duration.ofHours(1);

    private BulkOperations bulk() {
        return backend().bulk();
    }

    /** Appends events of different keys, which become dead letters. */
    private List<Event> kill(String prefix, int count) {
        List<Event> dead = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            dead.add(event(prefix + i, 1));
        }
        driver().appendTogether(dead.toArray(Event[]::new));
        Map<Integer, Lease> lanes = driver().takeLanes("killer-" + prefix);
        for (int settled = 0; settled < count; ) {
            var claims = driver().claim(lanes);
            settled += claims.size();
            driver().settle(lanes, claims, c -> new PublishOutcome.Dead(c, "poison", false));
        }
        store().leave("killer-" + prefix);
        return dead;
    }

    private BulkOperation confirmed(Kind kind, EventFilter filter, int rate) {
        return bulk().confirm(bulk().draft(kind, filter, rate, BULK).id(), BULK);
    }

    private BulkOperation run(UUID id) {
        for (int steps = 0; steps < 1_000; steps++) {
            Optional<BulkOperation> after = bulk().step("runner", RUNNER_LEASE);
            if (after.isEmpty() || after.get().state().ended()) {
                return bulk().operation(id).orElseThrow();
            }
        }
        throw new AssertionError("the operation does not end");
    }

    private List<BulkOperation.Result> results(UUID id) {
        List<BulkOperation.Result> all = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            var page = bulk().results(id, cursor, 70);
            all.addAll(page.items());
            cursor = page.next();
        } while (cursor != null);
        return all;
    }

    @Test
    default void aDraftCountsAndChangesNothing() {
        List<Event> dead = kill("a", 3);
        BulkOperation draft = bulk().draft(Kind.REPLAY, EventFilter.ALL, 0, BULK);
        assertThat(draft.total()).isEqualTo(3);
        assertThat(draft.state()).isEqualTo(State.DRAFT);
        assertThat(bulk().step("runner", RUNNER_LEASE)).isEmpty();
        assertThat(driver().state(dead.get(0))).isEqualTo(EventState.DEAD_LETTER);
        assertThat(bulk().draft(Kind.DISCARD, EventFilter.ALL.key("a1"), 0, BULK)
                        .total())
                .isEqualTo(1);
        assertThat(bulk().draft(Kind.RETRY, EventFilter.ALL, 0, BULK).total()).isZero();
    }

    @Test
    default void aConfirmedOperationChangesEveryMatchingEventOnceAndReportsEach() {
        List<Event> dead = kill("a", BulkOperations.STEP + 5);
        BulkOperation operation = confirmed(Kind.REPLAY, EventFilter.ALL.type("order.*"), 0);
        List<Event> later = kill("later", 2);

        BulkOperation first = bulk().step("runner", RUNNER_LEASE).orElseThrow();
        assertThat(first.state()).isEqualTo(State.RUNNING);
        assertThat(first.done()).isEqualTo(BulkOperations.STEP);
        BulkOperation done = run(operation.id());

        assertThat(done.state()).isEqualTo(State.DONE);
        assertThat(done.done()).isEqualTo(dead.size());
        assertThat(done.skipped() + done.failed()).isZero();
        assertThat(done.arrivedSince()).isEqualTo(later.size());
        assertThat(done.endedAt()).isNotNull();
        assertThat(results(operation.id()))
                .hasSize(dead.size())
                .allSatisfy(result -> assertThat(result.outcome()).isEqualTo(BulkOperation.Outcome.DONE));
        assertThat(dead).allSatisfy(event -> assertThat(driver().state(event)).isEqualTo(EventState.PENDING));
        assertThat(driver().state(later.get(0))).isEqualTo(EventState.DEAD_LETTER);
        assertThat(backend()
                        .search()
                        .audit(new AuditFilter(null, "replay", null), null, 10)
                        .items())
                .hasSize(2)
                .allSatisfy(entry -> assertThat(entry.detail()).isEqualTo("operation " + operation.id()));
        assertThat(backend().view().history(dead.get(0).id())).hasSize(1);
    }

    /** The runner crashes after its first step. */
    @Test
    default void anotherRunnerTakesOverWhenTheLeaseHasExpired() {
        kill("a", BulkOperations.STEP + 5);
        BulkOperation operation = confirmed(Kind.DISCARD, EventFilter.ALL, 0);
        bulk().step("crashed", Duration.ofMillis(1));
        Optional<BulkOperation> last = await().atMost(Duration.ofMinutes(2))
                .until(() -> bulk().step("other", RUNNER_LEASE), Optional::isPresent);
        assertThat(last.orElseThrow().id()).isEqualTo(operation.id());
        assertThat(last.orElseThrow().done()).isEqualTo(BulkOperations.STEP + 5);
        assertThat(last.orElseThrow().state()).isEqualTo(State.DONE);
    }

    @Test
    default void oneRunnerAtATimeWorksOnAnOperation() {
        kill("a", BulkOperations.STEP + 5);
        confirmed(Kind.DISCARD, EventFilter.ALL, 0);
        bulk().step("first", RUNNER_LEASE);
        assertThat(bulk().step("other", RUNNER_LEASE)).isEmpty();
        assertThat(bulk().step("first", RUNNER_LEASE)).isPresent();
    }

    @Test
    default void aCancelledOperationEndsAndKeepsItsProgress() {
        List<Event> dead = kill("a", BulkOperations.STEP + 5);
        BulkOperation operation = confirmed(Kind.DISCARD, EventFilter.ALL, 0);
        bulk().step("runner", RUNNER_LEASE);

        assertThat(bulk().cancel(operation.id(), BULK).state()).isEqualTo(State.CANCELLED);
        assertThat(bulk().step("runner", RUNNER_LEASE)).isEmpty();

        assertThat(bulk().operation(operation.id()).orElseThrow().done()).isEqualTo(BulkOperations.STEP);
        assertThat(dead.stream().filter(event -> driver().state(event) == EventState.DEAD_LETTER))
                .hasSize(5);
        assertThat(bulk().cancel(operation.id(), BULK).state()).isEqualTo(State.CANCELLED);
        assertThatThrownBy(() -> bulk().confirm(operation.id(), BULK)).isInstanceOf(ActionRefusedException.class);
    }

    @Test
    default void eventsThatChangedMeanwhileAreNotTouched() {
        List<Event> dead = kill("a", 3);
        BulkOperation operation = confirmed(Kind.REPLAY, EventFilter.ALL, 0);
        backend().actions().discard(List.of(dead.get(1).id()), BULK);
        assertThat(run(operation.id()).done()).isEqualTo(2);
        assertThat(driver().state(dead.get(1))).isEqualTo(EventState.DISCARDED);
    }

    @Test
    default void retriesAreMadeDueInBulk() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        driver().append(event("a", 1), event("b", 1), event("b", 2));
        driver().settle(
                        lanes,
                        driver().claim(lanes),
                        c -> StoreDriver.number(c) == 1
                                ? new PublishOutcome.Retry(c, DELAY, "no", true)
                                : new PublishOutcome.Parked(c));
        BulkOperation operation = confirmed(Kind.RETRY, EventFilter.ALL, 0);
        assertThat(operation.total()).isEqualTo(2);
        assertThat(run(operation.id()).done()).isEqualTo(2);
        assertThat(StoreDriver.names(driver().claim(lanes))).containsExactlyInAnyOrder("a1", "b1");
    }

    @Test
    default void aStepChangesNoMoreEventsThanTheRateAllows() {
        kill("a", 5);
        confirmed(Kind.DISCARD, EventFilter.ALL, 2);
        assertThat(bulk().step("runner", RUNNER_LEASE).orElseThrow().done()).isEqualTo(2);
        Optional<BulkOperation> second = await().atMost(Duration.ofMinutes(2))
                .until(() -> bulk().step("runner", RUNNER_LEASE), Optional::isPresent);
        assertThat(second.orElseThrow().done()).isEqualTo(4);
    }

    @Test
    default void aRepeatedDraftIsTheSameOperation() {
        kill("a", 1);
        Action action = BULK.withId(UUID.randomUUID().toString());
        BulkOperation first = bulk().draft(Kind.REPLAY, EventFilter.ALL, 0, action);
        assertThat(bulk().draft(Kind.REPLAY, EventFilter.ALL, 0, action)).isEqualTo(first);
        BulkOperation second = bulk().draft(Kind.REPLAY, EventFilter.ALL, 0, BULK);
        assertThat(bulk().operations(null, 1).items()).containsExactly(second);
        assertThat(bulk().operations(bulk().operations(null, 1).next(), 1).items())
                .containsExactly(first);
    }
}

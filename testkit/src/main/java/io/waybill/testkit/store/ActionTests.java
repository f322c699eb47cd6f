package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.event;
import static io.waybill.testkit.store.StoreDriver.names;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.Action;
import io.waybill.admin.ActionRefusedException;
import io.waybill.admin.ActionResult;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.AuditFilter;
import io.waybill.admin.Correction;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxActions;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The actions of operators: idempotence, the audit, and the order of keys. */
interface ActionTests extends StoreTests {
    Action ACTION = new Action("ann", "agreed in review");

    private OutboxActions actions() {
        return backend().actions();
    }

    private static Action withId() {
        return ACTION.withId(UUID.randomUUID().toString());
    }

    private List<AuditEntry> audit() {
        return backend().search().audit(AuditFilter.ALL, null, 100).items();
    }

    /** Appends a1 to a3; the first one is a dead letter, and blocks the key or not. Another relay has the lanes afterwards. */
    private Event kill(boolean blocks) {
        Event dead = event("a", 1);
        driver().append(dead);
        Map<Integer, Lease> lanes = driver().takeLanes("killer");
        driver().settle(lanes, driver().claim(lanes), c -> new PublishOutcome.Dead(c, "poison", blocks));
        backend().store().leave("killer");
        return dead;
    }

    /** Appends a1 to a3; the first one waits for a retry, the others are parked. */
    private Event fail(Map<Integer, Lease> lanes) {
        Event failed = event("a", 1);
        driver().append(failed, event("a", 2), event("a", 3));
        driver().fail(lanes, "a", DELAY);
        return failed;
    }

    @Test
    default void aRepeatedActionHasOneEffectAndOneAuditRow() {
        Event dead = kill(false);
        Action action = withId();
        assertThat(actions().replay(List.of(dead.id()), action)).isEqualTo(new ActionResult(List.of(dead.id()), false));
        Map<Integer, Lease> lanes = driver().takeLanes("r2");
        driver().settle(lanes, driver().claim(lanes), c -> new PublishOutcome.Dead(c, "again", false));

        assertThat(actions().replay(List.of(dead.id()), action)).isEqualTo(new ActionResult(List.of(dead.id()), true));

        assertThat(driver().state(dead)).isEqualTo(EventState.DEAD_LETTER);
        assertThat(audit())
                .singleElement()
                .satisfies(entry -> assertThat(entry.actionId()).isEqualTo(action.id()));
    }

    @Test
    default void concurrentCallsWithOneActionIdHaveOneEffect() throws Exception {
        Event dead = kill(false);
        Action action = withId();
        List<ActionResult> results = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<ActionResult>> calls = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                calls.add(threads.submit(() -> actions().discard(List.of(dead.id()), action)));
            }
            for (Future<ActionResult> call : calls) {
                results.add(call.get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(results).allSatisfy(result -> assertThat(result.events()).containsExactly(dead.id()));
        assertThat(results).filteredOn(result -> !result.repeated()).hasSize(1);
        assertThat(audit()).hasSize(1);
    }

    @Test
    default void anActionIdBelongsToOneAction() {
        Event dead = kill(false);
        Action action = withId();
        actions().replay(List.of(dead.id()), action);
        assertThatThrownBy(() -> actions().discard(List.of(dead.id()), action))
                .isInstanceOf(ActionRefusedException.class)
                .hasMessageContaining("replay by ann");
    }

    @Test
    default void anActionWithAnIdThatChangesNothingIsAuditedToo() {
        ActionResult result = actions().retryNow(List.of(UUID.randomUUID()), withId());
        assertThat(result.events()).isEmpty();
        assertThat(audit())
                .singleElement()
                .satisfies(entry -> assertThat(entry.events()).isZero());
        actions().retryNow(List.of(UUID.randomUUID()), ACTION);
        assertThat(audit()).hasSize(1);
    }

    @Test
    default void aRetryIsMadeDueWithItsAttempts() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        Event failed = fail(lanes);
        assertThat(driver().claim(lanes)).isEmpty();

        assertThat(actions().retryNow(List.of(failed.id()), ACTION).events()).containsExactly(failed.id());

        List<ClaimedEvent> claims = driver().claim(lanes);
        assertThat(names(claims)).containsExactly("a1");
        assertThat(claims.get(0).retryCount()).isEqualTo(1);
        driver().settle(lanes, claims, PublishOutcome.Published::new);
        assertThat(names(driver().drain(lanes))).containsExactly("a2", "a3");
    }

    @Test
    default void onlyEventsThatWaitForARetryAreMadeDue() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        fail(lanes);
        Event fresh = event("b", 1);
        driver().append(fresh);
        Event parked = backend()
                .view()
                .events(EventFilter.ALL.state(EventState.PARKED), 10)
                .get(0)
                .event();
        assertThat(actions().retryNow(List.of(fresh.id(), parked.id()), ACTION).events())
                .isEmpty();
        assertThat(driver().state(parked)).isEqualTo(EventState.PARKED);
    }

    @Test
    default void aSkippedRetryLetsItsKeyContinue() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        Event failed = fail(lanes);

        actions().skip(failed.id(), ACTION);

        assertThat(driver().state(failed)).isEqualTo(EventState.DISCARDED);
        assertThat(names(driver().drain(lanes))).containsExactly("a2", "a3");
        assertThat(backend().view().history(failed.id()))
                .extracting(AuditEntry::action)
                .containsExactly("skip");
    }

    @Test
    default void aSkippedDeadLetterLetsItsKeyContinue() {
        Event dead = kill(true);
        driver().append(event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        assertThat(driver().drain(lanes)).isEmpty();
        actions().skip(dead.id(), ACTION);
        assertThat(driver().state(dead)).isEqualTo(EventState.DISCARDED);
        assertThat(names(driver().drain(lanes))).containsExactly("a2");
    }

    @Test
    default void onlyTheFirstEventOfAKeyIsSkippedAndNotWhileItIsSent() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        Event failed = fail(lanes);
        Event parked = backend()
                .view()
                .events(EventFilter.ALL.state(EventState.PARKED), 10)
                .get(0)
                .event();
        assertThatThrownBy(() -> actions().skip(parked.id(), ACTION))
                .isInstanceOf(ActionRefusedException.class)
                .hasMessageContaining(failed.id().toString());
        actions().retryNow(List.of(failed.id()), ACTION);
        List<ClaimedEvent> claims = driver().claim(lanes);
        assertThatThrownBy(() -> actions().skip(failed.id(), ACTION))
                .isInstanceOf(ActionRefusedException.class)
                .hasMessageContaining("now");
        driver().settle(lanes, claims, PublishOutcome.Published::new);
        assertThatThrownBy(() -> actions().skip(UUID.randomUUID(), ACTION)).isInstanceOf(ActionRefusedException.class);
        assertThat(names(driver().drain(lanes))).containsExactly("a2", "a3");
    }

    @Test
    default void aReleasedKeyContinuesAndItsDeadLetterStays() {
        Event dead = kill(true);
        driver().append(event("a", 2));
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        assertThat(driver().drain(lanes)).isEmpty();

        assertThat(actions().releaseKey("a", ACTION).events()).containsExactly(dead.id());

        assertThat(names(driver().drain(lanes))).containsExactly("a2");
        assertThat(driver().state(dead)).isEqualTo(EventState.DEAD_LETTER);
        assertThat(backend().view().status().deadLetters()).isEqualTo(1);
        assertThat(backend().view().status().blockedKeys()).isZero();
        assertThatThrownBy(() -> actions().releaseKey("a", ACTION)).isInstanceOf(ActionRefusedException.class);
        assertThat(actions().replay(List.of(dead.id()), ACTION).events()).containsExactly(dead.id());
        assertThat(names(driver().drain(lanes))).containsExactly("a1");
    }

    @Test
    default void aCorrectedEventReplacesTheOriginal() {
        Event dead = kill(false);
        Correction correction =
                new Correction(dead.id(), "{\"n\": 7}", Map.of("source", "desk"), Correction.hash(dead));
        Action action = withId();
        ActionResult result = actions().editAndReplay(correction, action);
        assertThat(actions().editAndReplay(correction, action).repeated()).isTrue();

        assertThat(driver().state(dead)).isEqualTo(EventState.DISCARDED);
        List<ClaimedEvent> sent = driver().drain(driver().takeLanes("r2"));
        assertThat(sent).singleElement().satisfies(claimed -> {
            assertThat(claimed.event().id()).isEqualTo(result.events().get(0)).isNotEqualTo(dead.id());
            assertThat(claimed.event().payload()).isEqualTo("{\"n\": 7}");
            assertThat(claimed.event().headers())
                    .containsEntry("source", "desk")
                    .containsEntry(Correction.HEADER, dead.id().toString());
        });
    }

    @Test
    default void aCorrectionIsRefusedIfTheOriginalIsNotWhatTheOperatorSaw() {
        Event dead = kill(false);
        Correction stale = new Correction(dead.id(), "{}", Map.of(), Correction.hash(event("a", 2)));
        assertThatThrownBy(() -> actions().editAndReplay(stale, ACTION)).isInstanceOf(ActionRefusedException.class);
        Correction late = new Correction(dead.id(), "{}", Map.of(), Correction.hash(dead));
        Correction invalid = new Correction(dead.id(), "{}", Map.of("", "no name"), Correction.hash(dead));
        assertThatThrownBy(() -> actions().editAndReplay(invalid, ACTION)).isInstanceOf(WaybillException.class);
        actions().replay(List.of(dead.id()), ACTION);
        driver().drain(driver().takeLanes("r2"));
        assertThatThrownBy(() -> actions().editAndReplay(late, ACTION)).isInstanceOf(ActionRefusedException.class);
        assertThat(driver().state(dead)).isEqualTo(EventState.PUBLISHED);
    }

    @Test
    default void aCorrectedRetryLetsItsKeyContinue() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        Event failed = fail(lanes);
        actions().editAndReplay(new Correction(failed.id(), "{\"n\": 9}", Map.of(), Correction.hash(failed)), ACTION);
        assertThat(names(driver().drain(lanes))).containsExactly("a2", "a3", "a9");
    }
}

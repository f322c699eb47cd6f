package io.waybill.testkit.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.waybill.WaybillException;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.StepRole;
import io.waybill.saga.admin.SagaActivity;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.admin.SagaStatistics;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore.Definition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What operators see of sagas, and what they request. */
interface ViewTests<T> extends SagaTests<T> {
    SagaFilter ALL = SagaFilter.all(100);

    default List<String> keys(SagaFilter filter) {
        return store().view().list(filter).stream().map(SagaRecord::businessKey).toList();
    }

    /** Inserts sagas whose keys name their state: running, stuck, ended, failed. The last one is the newest. */
    default void sagasOfAllKinds() {
        insert(SagaTests.with(saga("old_ended"), SagaStatus.COMPLETED, "{}", "", null, now()));
        backend().age(Duration.ofHours(2));
        insert(SagaTests.waking(saga("running"), now().plusSeconds(60)));
        insert(SagaTests.with(saga("stuck-1"), SagaStatus.FAILED, "{}", "pay,ship", null, null));
        insert(SagaTests.with(saga("stuck-2"), SagaStatus.FORWARD_RECOVERY, "{}", "payment", null, null));
        insert(SagaTests.with(saga("failed"), SagaStatus.FAILED, "{}", "", null, now()));
    }

    @Test
    default void sagasAreListedByEveryFilter() {
        sagasOfAllKinds();
        assertThat(keys(ALL)).containsExactlyInAnyOrder("running", "stuck-1", "stuck-2", "failed", "old_ended");
        assertThat(keys(ALL).get(4)).isEqualTo("old_ended");
        assertThat(keys(ALL.name(NAME))).hasSize(5);
        assertThat(keys(ALL.name("other"))).isEmpty();
        assertThat(keys(ALL.statuses(Set.of(SagaStatus.EXECUTING)))).containsExactly("running");
        assertThat(keys(ALL.statuses(Set.of(SagaStatus.FAILED, SagaStatus.COMPLETED))))
                .containsExactlyInAnyOrder("stuck-1", "failed", "old_ended");
        assertThat(keys(ALL.stuckOnly(true))).containsExactlyInAnyOrder("stuck-1", "stuck-2");
        assertThat(keys(ALL.stuckStep("pay"))).containsExactly("stuck-1");
        assertThat(keys(ALL.stuckStep("ship"))).containsExactly("stuck-1");
        assertThat(keys(ALL.stuckStep("pay_"))).isEmpty();
        assertThat(keys(ALL.keyPrefix("stuck-"))).hasSize(2);
        assertThat(keys(ALL.keyPrefix("old_"))).containsExactly("old_ended");
        assertThat(keys(ALL.keyPrefix("_")))
                .as("no character of a prefix is a wildcard")
                .isEmpty();
        assertThat(keys(ALL.keyPrefix("%"))).isEmpty();
        assertThat(keys(ALL.keyPrefix("STUCK"))).isEmpty();
        assertThat(keys(ALL.olderThan(Duration.ofHours(1)))).containsExactly("old_ended");
        assertThat(keys(ALL.name(NAME)
                        .statuses(Set.of(SagaStatus.FAILED))
                        .stuckStep("pay")
                        .keyPrefix("stuck")
                        .olderThan(Duration.ZERO)))
                .containsExactly("stuck-1");
    }

    @Test
    default void aPageFollowsTheOneBefore() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            insert(saga("k" + i));
            expected.add(0, "k" + i);
            backend().age(Duration.ofSeconds(i % 2)); // pairs of sagas were created at the same time, or nearly so
        }
        List<String> found = new ArrayList<>();
        UUID last = null;
        List<SagaRecord> page;
        do {
            page = store().view().list(SagaFilter.all(3).after(last));
            page.forEach(saga -> found.add(saga.businessKey()));
            last = page.isEmpty() ? last : page.get(page.size() - 1).id();
        } while (!page.isEmpty());
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        UUID removed = UUID.randomUUID();
        assertThatThrownBy(() -> store().view().list(SagaFilter.all(3).after(removed)))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining(removed.toString());
    }

    @Test
    default void aListContainsNoLargeValues() {
        SagaRecord saga = saga("1");
        insert(SagaTests.with(saga, saga.status(), "{\"text\":\"" + "x".repeat(100_000) + "\"}", "", null, null));
        assertThat(store().view().list(ALL))
                .singleElement()
                .returns("{}", SagaRecord::data)
                .returns("{}", SagaRecord::state)
                .returns(saga.headers(), SagaRecord::headers)
                .returns(saga.createdAt(), SagaRecord::createdAt);
    }

    @Test
    default void theEndOfAHistoryIsReadInItsOrder() {
        SagaRecord saga = insert(saga("1"));
        for (int i = 2; i <= 4; i++) {
            List<HistoryEntry> entries = List.of(
                    new HistoryEntry(HistoryKind.STEP_STARTED, "a", i, null, saga.createdAt()),
                    new HistoryEntry(HistoryKind.STEP_COMPLETED, "a", i, null, saga.createdAt()));
            in(transaction -> {
                SagaRecord locked =
                        store().lock(transaction, saga.id()).orElseThrow().saga();
                store().update(transaction, SagaTests.waking(locked, null), false, entries, List.of());
                return locked;
            });
        }
        assertThat(store().view().history(saga.id())).hasSize(7);
        assertThat(store().view().history(saga.id(), 3))
                .extracting(HistoryEntry::kind)
                .containsExactly(HistoryKind.STEP_COMPLETED, HistoryKind.STEP_STARTED, HistoryKind.STEP_COMPLETED);
    }

    @Test
    default void definitionsAreListed() {
        SagaOutline outline = new SagaOutline(
                NAME,
                2,
                false,
                List.of(new SagaOutline.Step("pay", "command", StepRole.PIVOT, List.of(), 1_000L, null)));
        store().register(outline);
        store().register(new SagaOutline(NAME, 1, false, outline.steps()));
        store().register(new SagaOutline("another", 1, true, outline.steps()));
        assertThat(store().view().definitions())
                .containsExactly(new Definition("another", 1), new Definition(NAME, 1), new Definition(NAME, 2));
        assertThat(store().view().outline(NAME, 2)).contains(outline);
    }

    @Test
    default void theActivityCountsSagasThatHaveNotEnded() {
        sagasOfAllKinds();
        assertThat(store().view().activity())
                .extracting(SagaActivity::status, SagaActivity::count, SagaActivity::stuck, SagaActivity::timerLag)
                .containsExactlyInAnyOrder(
                        tuple(SagaStatus.EXECUTING, 1L, 0L, Duration.ZERO),
                        tuple(SagaStatus.FAILED, 1L, 1L, Duration.ZERO),
                        tuple(SagaStatus.FORWARD_RECOVERY, 1L, 1L, Duration.ZERO));
        assertThat(store().view().statistics().stream()
                        .mapToLong(SagaStatistics::count)
                        .sum())
                .isEqualTo(5);
        backend().age(Duration.ofMinutes(10));
        assertThat(store().view().activity())
                .filteredOn(activity -> activity.status() == SagaStatus.EXECUTING)
                .singleElement()
                .satisfies(activity -> {
                    assertThat(activity.oldest()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(60));
                    assertThat(activity.timerLag()).isBetween(Duration.ofMinutes(8), Duration.ofMinutes(60));
                });
    }

    @Test
    default void aRequestThatNoEngineAppliesIsALag() {
        SagaRecord saga = insert(SagaTests.with(saga("1"), SagaStatus.FAILED, "{}", "pay", null, null));
        store().operations().request(saga.id(), SagaSignal.Kind.RETRY, "pay", null, "ada", "paid by hand");
        backend().age(Duration.ofMinutes(10));
        assertThat(store().view().activity())
                .singleElement()
                .satisfies(activity -> assertThat(activity.timerLag()).isGreaterThan(Duration.ofMinutes(9)));
    }
}

package io.waybill.testkit.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.waybill.saga.SagaStatus;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Inserting, reading and changing a saga. */
interface StartTests<T> extends SagaTests<T> {
    @Test
    default void everyPartOfASagaIsStored() {
        Instant now = now();
        SagaRecord full = new SagaRecord(
                UUID.randomUUID(),
                NAME,
                3,
                "Käse 🧀/1",
                SagaStatus.FORWARD_RECOVERY,
                "{\"text\":\"größer ✓\"}",
                "{\"steps\":[1]}",
                Map.of("traceparent", "00-1", "correlation-id", "c\\1"),
                UUID.randomUUID(),
                "child",
                "no stock",
                "pay,ship",
                now.plusMillis(1),
                now.minusMillis(2),
                now.plusMillis(3),
                now.plusMillis(4),
                7);
        insert(full);
        SagaRecord empty = insert(SagaTests.waking(saga("2"), null));

        assertThat(stored(full)).isEqualTo(full);
        assertThat(stored(empty)).isEqualTo(empty);
        assertThat(store().view().find(NAME, "Käse 🧀/1")).contains(full);
        assertThat(find(NAME, "2")).contains(empty);
        assertThat(find("other", "2")).isEmpty();
        assertThat(store().view().find(UUID.randomUUID())).isEmpty();
    }

    @Test
    default void aKeyStartsOneSagaAndTheTransactionStaysUsable() {
        SagaRecord first = insert(saga("1"));
        SagaRecord second = saga("1");
        SagaRecord other = saga("2");
        boolean inserted = in(transaction -> {
            boolean again = store().insert(
                            transaction,
                            second,
                            List.of(SagaTests.entry(HistoryKind.STARTED, null, second.createdAt())));
            assertThat(store().insert(transaction, other, List.of())).isTrue();
            return again;
        });
        assertThat(inserted).isFalse();
        assertThat(store().view().find(NAME, "1")).contains(first);
        assertThat(store().view().find(second.id())).isEmpty();
        assertThat(store().view().history(second.id())).isEmpty();
        assertThat(store().view().find(other.id())).isPresent();
    }

    @Test
    default void keysAreComparedExactly() {
        insert(saga("a"));
        insert(saga("A"));
        insert(saga("a "));
        insert(saga("ä"));
        assertThat(find(NAME, "a ")).isPresent();
        assertThat(find(NAME, "b")).isEmpty();
    }

    @Test
    default void aRolledBackStartLeavesNothing() {
        SagaRecord saga = saga("1");
        assertThatThrownBy(() -> in(transaction -> {
                    store().insert(
                                    transaction,
                                    saga,
                                    List.of(SagaTests.entry(HistoryKind.STARTED, null, saga.createdAt())));
                    store().post(transaction, saga.id(), SignalTests.CHILD_ENDED);
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessageContaining("rolled back");
        assertThat(store().view().find(saga.id())).isEmpty();
        assertThat(store().view().history(saga.id())).isEmpty();
        assertThat(store().view().signals(saga.id())).isEmpty();
        assertThat(due(10)).isEmpty();
        insert(saga);
    }

    @Test
    default void aChildStartsInTheTransactionOfItsParent() {
        SagaRecord parent = insert(saga("parent"));
        SagaRecord child = saga("child");
        in(transaction -> {
            LockedSaga locked = store().lock(transaction, parent.id()).orElseThrow();
            assertThat(store().insert(transaction, child, List.of())).isTrue();
            store().post(transaction, parent.id(), SignalTests.CHILD_ENDED);
            store().update(transaction, SagaTests.waking(locked.saga(), null), false, List.of(), List.of());
            return child;
        });
        assertThat(store().view().find(child.id())).isPresent();
        assertThat(store().view().signals(parent.id())).hasSize(1);
    }

    @Test
    default void aChangeIsStoredAndItsHistoryIsAppended() {
        SagaRecord saga = insert(saga("1"));
        Instant at = saga.createdAt();
        List<HistoryEntry> second = List.of(
                SagaTests.entry(HistoryKind.STEP_COMPLETED, "reserve", at),
                SagaTests.entry(HistoryKind.STEP_STARTED, "pay", at),
                SagaTests.entry(HistoryKind.STEP_STARTED, "notify", at));
        List<HistoryEntry> third = List.of(SagaTests.entry(HistoryKind.ENDED, null, at.plusMillis(5)));
        in(transaction -> {
            SagaRecord locked =
                    store().lock(transaction, saga.id()).orElseThrow().saga();
            assertThat(locked).isEqualTo(saga);
            SagaRecord changed =
                    SagaTests.with(locked, SagaStatus.COMPENSATING, "{\"n\":2}", "pay", at.plusSeconds(60), null);
            store().update(transaction, changed, true, second, List.of());
            return changed;
        });
        SagaRecord changed = stored(saga);
        assertThat(changed.status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(changed.data()).isEqualTo("{\"n\":2}");
        assertThat(changed.stuck()).isEqualTo("pay");
        assertThat(changed.wakeAt()).isEqualTo(at.plusSeconds(60));
        assertThat(changed.revision()).isEqualTo(2);

        in(transaction -> {
            SagaRecord locked =
                    store().lock(transaction, saga.id()).orElseThrow().saga();
            store().update(transaction, SagaTests.ended(locked, at), false, third, List.of());
            return locked;
        });
        assertThat(stored(saga).endedAt()).isEqualTo(at);
        assertThat(stored(saga).data()).isEqualTo("{\"n\":2}");
        assertThat(store().view().history(saga.id()))
                .extracting(HistoryEntry::kind, HistoryEntry::step, HistoryEntry::detail)
                .containsExactly(
                        tuple(HistoryKind.STARTED, null, null),
                        tuple(HistoryKind.STEP_COMPLETED, "reserve", "detail of reserve"),
                        tuple(HistoryKind.STEP_STARTED, "pay", "detail of pay"),
                        tuple(HistoryKind.STEP_STARTED, "notify", "detail of notify"),
                        tuple(HistoryKind.ENDED, null, null));
    }

    /** One mebibyte of data, with characters that some drivers escape; S23. */
    @Test
    default void largeDataIsStoredUnchanged() {
        String large = "{\"text\":\"" + "ä'\\\\\u0001✓".repeat(300_000) + "\"}";
        SagaRecord saga = saga("1");
        insert(SagaTests.with(saga, saga.status(), large, "", null, null));
        assertThat(stored(saga).data()).isEqualTo(large);
        String other = large.replace('ä', 'ö');
        change(saga.id(), locked -> SagaTests.with(locked, locked.status(), other, "", null, null));
        assertThat(lock(saga.id()).orElseThrow().saga().data()).isEqualTo(other);
    }
}

package io.waybill.testkit.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Signals: they make a saga due, are applied once, and never change the saga's row. */
interface SignalTests<T> extends SagaTests<T> {
    SagaSignal CHILD_ENDED = SagaSignal.of(SagaSignal.Kind.CHILD_ENDED, "child", "{\"status\":\"COMPLETED\"}");

    @Test
    default void aSignalMakesASagaDue() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), null));
        insert(SagaTests.waking(saga("2"), null));
        assertThat(due(10)).isEmpty();
        assertThat(lockDue(saga.id())).isEmpty();

        post(saga.id(), CHILD_ENDED);
        SagaSignal second = new SagaSignal(0, SagaSignal.Kind.RETRY, "pay", "{}", "ada", "paid by hand");
        post(saga.id(), second);

        assertThat(due(10)).containsExactly(saga.id());
        LockedSaga locked = lockDue(saga.id()).orElseThrow();
        assertThat(locked.signals())
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("id")
                .containsExactly(CHILD_ENDED, second);
        assertThat(locked.signals()).isEqualTo(store().view().signals(saga.id()));
        assertThat(locked.signals().get(0).id())
                .isLessThan(locked.signals().get(1).id());
    }

    @Test
    default void anAppliedSignalIsRemovedAndLaterOnesStay() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), null));
        post(saga.id(), CHILD_ENDED);
        in(transaction -> {
            LockedSaga locked = store().lockDue(transaction, saga.id()).orElseThrow();
            store().post(transaction, saga.id(), SagaSignal.of(SagaSignal.Kind.EVENT, null, "{}"));
            store().update(transaction, SagaTests.waking(locked.saga(), null), false, List.of(), locked.signals());
            return locked;
        });
        assertThat(store().view().signals(saga.id()))
                .extracting(SagaSignal::kind)
                .containsExactly(SagaSignal.Kind.EVENT);
        assertThat(due(10)).containsExactly(saga.id());
    }

    @Test
    default void aRolledBackApplicationKeepsTheSignal() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), null));
        post(saga.id(), CHILD_ENDED);
        assertThatThrownBy(() -> in(transaction -> {
                    LockedSaga locked = store().lockDue(transaction, saga.id()).orElseThrow();
                    store().update(
                                    transaction,
                                    SagaTests.waking(locked.saga(), null),
                                    false,
                                    List.of(),
                                    locked.signals());
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessageContaining("rolled back");
        assertThat(store().view().signals(saga.id())).hasSize(1);
        assertThat(stored(saga)).isEqualTo(saga);
    }

    @Test
    default void aSignalOfAnEndedSagaIsStillDelivered() {
        SagaRecord saga = insert(saga("1"));
        change(saga.id(), locked -> SagaTests.ended(locked, locked.createdAt()));
        post(saga.id(), CHILD_ENDED);
        assertThat(due(10)).containsExactly(saga.id());
        assertThat(lockDue(saga.id()).orElseThrow().signals()).hasSize(1);
    }

    @Test
    default void aSignalWithoutASagaMakesNothingDue() {
        post(UUID.randomUUID(), CHILD_ENDED);
        assertThat(due(10)).isEmpty();
    }

    @Test
    default void aRestingSagaIsNotDueForSignals() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), null));
        post(saga.id(), CHILD_ENDED);
        store().postpone(saga.id(), Duration.ofMinutes(5), "java.lang.NullPointerException");
        assertThat(due(10)).isEmpty();
        assertThat(lockDue(saga.id())).isEmpty();
        backend().age(Duration.ofMinutes(6));
        assertThat(due(10)).containsExactly(saga.id());
        assertThat(lockDue(saga.id()).orElseThrow().signals()).hasSize(1);
    }
}

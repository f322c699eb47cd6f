package io.waybill.testkit.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaStore.Definition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Timers, and the rest after a failure of the engine. */
interface DueTests<T> extends SagaTests<T> {
    @Test
    default void aSagaIsDueWhenItsTimeHasCome() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), now().plusSeconds(60)));
        assertThat(due(10)).isEmpty();
        assertThat(lockDue(saga.id())).isEmpty();
        backend().age(Duration.ofSeconds(61));
        assertThat(due(10)).containsExactly(saga.id());
        LockedSaga locked = lockDue(saga.id()).orElseThrow();
        assertThat(locked.now()).isAfterOrEqualTo(locked.saga().wakeAt());
        assertThat(locked.signals()).isEmpty();
    }

    @Test
    default void theLongestDueSagasComeFirst() {
        Instant now = now();
        List<UUID> expected = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            expected.add(
                    0,
                    insert(SagaTests.waking(saga("k" + i), now.minusSeconds(i * 60L + 60)))
                            .id());
        }
        assertThat(due(10)).containsExactlyElementsOf(expected);
        assertThat(due(2)).containsExactlyElementsOf(expected.subList(0, 2));
    }

    @Test
    default void aSagaThatIsDueTwiceIsFoundOnce() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), now().minusSeconds(60)));
        SagaRecord other = insert(SagaTests.waking(saga("2"), now().minusSeconds(1)));
        post(saga.id(), SignalTests.CHILD_ENDED);
        post(saga.id(), SignalTests.CHILD_ENDED);
        assertThat(due(2)).containsExactlyInAnyOrder(saga.id(), other.id());
    }

    @Test
    default void sagasOfUnknownDefinitionsAreNotFound() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), now().minusSeconds(60)));
        SagaRecord waiting = insert(SagaTests.waking(saga("2"), null));
        post(waiting.id(), SignalTests.CHILD_ENDED);
        assertThat(store().due(List.of(new Definition(NAME, 2), new Definition("other", 1)), 10))
                .isEmpty();
        assertThat(store().due(List.of(), 10)).isEmpty();
        assertThat(store().due(List.of(new Definition("other", 1), DEFINITION, new Definition(NAME, 2)), 10))
                .containsExactlyInAnyOrder(saga.id(), waiting.id());
    }

    @Test
    default void anEndedSagaIsNotDue() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), now().minusSeconds(60)));
        change(saga.id(), locked -> SagaTests.ended(locked, locked.createdAt()));
        assertThat(due(10)).isEmpty();
        assertThat(lockDue(saga.id())).isEmpty();
    }

    @Test
    default void aPostponedSagaRestsUntilItsNextChange() {
        SagaRecord saga = insert(SagaTests.waking(saga("1"), now().minusSeconds(60)));
        store().postpone(saga.id(), Duration.ofMinutes(5), "a bug \u0000 in the engine");
        assertThat(due(10)).isEmpty();
        assertThat(lockDue(saga.id())).isEmpty();
        backend().age(Duration.ofMinutes(6));
        assertThat(due(10)).containsExactly(saga.id());

        store().postpone(saga.id(), Duration.ofMinutes(5), "again");
        change(saga.id(), locked -> SagaTests.waking(locked, locked.createdAt().minusSeconds(60)));
        assertThat(due(10)).containsExactly(saga.id());
        assertThat(lockDue(saga.id())).isPresent();
    }

    @Test
    default void aMissingSagaCanBePostponed() {
        store().postpone(UUID.randomUUID(), Duration.ofMinutes(5), "removed in the meantime");
        assertThat(lock(UUID.randomUUID())).isEmpty();
        assertThat(lockDue(UUID.randomUUID())).isEmpty();
    }
}

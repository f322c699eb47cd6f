package io.waybill.saga;

import static io.waybill.saga.Steps.undoable;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.test.MemorySagaStore;
import io.waybill.saga.test.MemoryTransaction;
import io.waybill.saga.test.SagaScenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Atomic sagas (S1, S2), and new versions of a definition (S18). */
class AtomicAndVersionsTest {
    private static SagaResult<Steps> execute(MemorySagaStore store, String failing) {
        Saga<Steps> saga = Saga.named("atomic", Steps.class)
                .atomic()
                .step("a")
                .local(steps -> step(steps, "a", failing))
                .emits(steps -> Event.of("a.done", "A", "1", "{}"))
                .then("b")
                .local(steps -> step(steps, "b", failing))
                .then("c")
                .local(steps -> step(steps, "c", failing))
                .emits(steps -> {
                    if (failing.equals("event of c")) {
                        throw new IllegalStateException(failing);
                    }
                    return Event.of("c.done", "C", "1", "{}");
                })
                .build();
        return Sagas.builder(store, store.outbox()).add(saga).build().execute(saga, "1", Steps.NONE);
    }

    private static Steps step(Steps steps, String name, String failing) {
        if (name.equals(failing)) {
            throw new IllegalStateException(name + " fails");
        }
        return steps.with(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c", "event of c"})
    void anAtomicSagaThatFailsLeavesNothing(String failing) {
        MemorySagaStore store = new MemorySagaStore();
        SagaResult<Steps> result = execute(store, failing);
        assertThat(result.status()).isEqualTo(SagaStatus.ROLLED_BACK);
        assertThat(result.error()).contains(failing);
        assertThat(store.events()).isEmpty();
        assertThat(store.view().list(SagaFilter.all(10))).isEmpty();
    }

    @Test
    void anAtomicSagaCommitsAllEventsTogetherAndRunsOnce() {
        MemorySagaStore store = new MemorySagaStore();
        assertThat(execute(store, "").success()).isTrue();
        assertThat(execute(store, "").data().done()).containsExactly("a", "b", "c");
        assertThat(store.events()).extracting(Event::type).containsExactly("a.done", "c.done");
    }

    private static Saga<Steps> version(int version, String second) {
        SagaBuilder<Steps> saga = Saga.named("versions", Steps.class).version(version);
        return undoable(undoable(saga.step("a"), "a").then(second), second).build();
    }

    @Test
    void aRunningSagaKeepsTheDefinitionItStartedWith() {
        MemorySagaStore store = new MemorySagaStore();
        Saga<Steps> first = version(1, "b");
        Saga<Steps> second = version(2, "c");
        Sagas.builder(store, store.outbox()).add(first).build().start(first, "1", Steps.NONE);
        Sagas<MemoryTransaction> newest =
                Sagas.builder(store, store.outbox()).add(second).build();
        Sagas<MemoryTransaction> both =
                Sagas.builder(store, store.outbox()).add(first).add(second).build();
        newest.start(second, "2", Steps.NONE);
        Event command = store.events().get(0);

        // This engine does not know version 1, so it keeps the reply for one that does.
        store.handle(newest.replies(), SagaScenario.answer(command, "a.done", "{}"));
        assertThat(newest.runOnce()).isZero();
        assertThat(store.events()).hasSize(2);

        assertThat(both.runOnce()).isEqualTo(1);
        assertThat(store.events()).extracting(Event::type).containsExactly("a.do", "a.do", "b.do");
        assertThat(store.view()
                        .history(
                                store.view().find("versions", "1").orElseThrow().id()))
                .noneMatch(entry -> entry.kind() == HistoryKind.STALE_REPLY);
    }
}

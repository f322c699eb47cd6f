package io.waybill.saga;

import static io.waybill.saga.Steps.command;
import static io.waybill.saga.Steps.undoable;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.test.MemorySagaStore;
import io.waybill.saga.test.MemoryTransaction;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Local work and external calls. */
class WorkTest {

    @Test
    void dataThatIsTooLargeFailsTheStepThatMadeIt() {
        Saga<Steps> saga = undoable(Saga.named("work", Steps.class).step("a"), "a")
                .then("grow")
                .local(steps -> steps.with("x".repeat(3_000_000)))
                .noCompensation("rolled back")
                .build();
        SagaScenario.of(saga, Steps.NONE)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .after(Duration.ofMinutes(1))
                .expectStep("grow", StepStatus.FAILED)
                .expectCommand("a.undo");
    }

    @Test
    void oneMegabyteOfDataPassesThroughEveryStep() {
        Saga<Steps> saga = undoable(Saga.named("work", Steps.class).step("a"), "a")
                .then("b")
                .local(steps -> steps.with("b"))
                .readOnly()
                .build();
        Steps large = Steps.NONE.with("x".repeat(1_000_000));
        SagaScenario.of(saga, large)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .expectStatus(SagaStatus.COMPLETED)
                .expectData(steps -> assertThat(steps).isEqualTo(large.with("a").with("b")));
    }

    @Test
    void anEventThatCannotBeMadeFailsItsStep() {
        Saga<Steps> saga = undoable(Saga.named("work", Steps.class).step("a"), "a")
                .then("b")
                .local(steps -> steps)
                .emits(steps -> {
                    throw new IllegalStateException("no such field");
                })
                .readOnly()
                .build();
        SagaScenario.of(saga, Steps.NONE)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .after(Duration.ofMinutes(1))
                .expectStep("b", StepStatus.FAILED)
                .expectCommand("a.undo");
    }

    @Test
    void aCompensatingCallGetsTheKeyOfTheCallThatItUndoes() {
        List<ExternalCall> calls = new ArrayList<>();
        Saga<Steps> saga = Saga.named("work", Steps.class)
                .step("charge")
                .external((steps, call) -> {
                    calls.add(call);
                    throw new java.io.IOException("connection reset");
                })
                .attempts(2)
                .externalCompensation((steps, call) -> {
                    calls.add(call);
                    return steps;
                })
                .build();
        SagaScenario.of(saga, Steps.NONE).start().after(Duration.ofMinutes(1)).expectStatus(SagaStatus.ROLLED_BACK);
        assertThat(calls).hasSize(3);
        assertThat(calls.get(1).idempotencyKey()).isEqualTo(calls.get(0).idempotencyKey());
        assertThat(calls.get(0).compensates()).isNull();
        assertThat(calls.get(2).compensates()).isEqualTo(calls.get(0).idempotencyKey());
        assertThat(calls.get(2).idempotencyKey()).isNotEqualTo(calls.get(0).idempotencyKey());
    }

    /** S19: the process crashes after the call, before its result is recorded. */
    @Test
    void aCallWhoseResultWasNotRecordedIsRepeatedWithTheSameKey() {
        Set<String> keys = ConcurrentHashMap.newKeySet();
        List<Integer> attempts = new ArrayList<>();
        Saga<Steps> saga = Saga.named("work", Steps.class)
                .step("charge")
                .external((steps, call) -> {
                    keys.add(call.idempotencyKey());
                    attempts.add(call.attempt());
                    if (call.attempt() == 1) {
                        throw new InterruptedException("stands for the end of the process");
                    }
                    return steps.with("charged");
                })
                .noCompensation("test")
                .build();
        SagaScenario<Steps> scenario = SagaScenario.of(saga, Steps.NONE).start();
        assertThat(Thread.interrupted()).isTrue();
        scenario.restart().after(Duration.ofMinutes(2)).expectStatus(SagaStatus.COMPLETED);
        assertThat(keys).hasSize(1);
        assertThat(attempts).containsExactly(1, 2);
    }

    record Booking(String flight, String hotel) {}

    /** A call gets a copy of the data; the reply of a step beside it arrives before the call returns. */
    @Test
    void aCallKeepsWhatStepsBesideItHaveChanged() {
        AtomicReference<SagaScenario<Booking>> self = new AtomicReference<>();
        Saga<Booking> saga = Saga.named("booking", Booking.class)
                .step("hotel")
                .command(booking -> command("hotel.book"))
                .onReply("hotel.booked", (booking, reply) -> new Booking(booking.flight(), "Ritz"))
                .readOnly()
                .step("flight")
                .external((booking, call) -> {
                    requireNonNull(self.get()).replyTo("hotel.book", "hotel.booked", "{}");
                    return new Booking("LH 1", booking.hotel());
                })
                .readOnly()
                .build();
        SagaScenario<Booking> scenario = SagaScenario.of(saga, new Booking("", ""));
        self.set(scenario);
        scenario.start()
                .expectStatus(SagaStatus.COMPLETED)
                .expectData(booking -> assertThat(booking).isEqualTo(new Booking("LH 1", "Ritz")));
    }

    private static Sagas<MemoryTransaction> running(MemorySagaStore store, Saga<Steps> saga) {
        Sagas<MemoryTransaction> sagas =
                Sagas.builder(store, store.outbox()).add(saga).build();
        sagas.start(saga, "1", Steps.NONE);
        sagas.start();
        return sagas;
    }

    @Test
    @Timeout(30)
    void callsOfParallelStepsRunAtTheSameTime() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        CountDownLatch done = new CountDownLatch(1);
        StepAction.ExternalWork<Steps> meet = (steps, call) -> {
            both.await();
            return steps;
        };
        Saga<Steps> saga = Saga.named("work", Steps.class)
                .step("x")
                .external(meet)
                .readOnly()
                .step("y")
                .external(meet)
                .readOnly()
                .onSuccess(steps -> done.countDown())
                .build();
        try (Sagas<MemoryTransaction> sagas = running(new MemorySagaStore(), saga)) {
            assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(sagas.isRunning()).isTrue();
        }
    }

    /** A client without a time-out hangs for ever; the engine still repeats the call when its attempt times out. */
    @Test
    @Timeout(30)
    void aCallThatHangsDoesNotStopTheTimersOfItsSaga() throws Exception {
        MemorySagaStore store = new MemorySagaStore();
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(1);
        Saga<Steps> saga = Saga.named("work", Steps.class)
                .step("x")
                .external((steps, call) -> {
                    if (call.attempt() == 1) {
                        first.countDown();
                        hanging.await();
                    } else {
                        second.countDown();
                    }
                    return steps;
                })
                .readOnly()
                .build();
        try (Sagas<MemoryTransaction> sagas = running(store, saga)) {
            assertThat(first.await(20, TimeUnit.SECONDS)).isTrue();
            while (second.getCount() > 0) {
                store.advance(Duration.ofMinutes(1));
                sagas.hint();
                if (second.await(20, TimeUnit.MILLISECONDS)) {
                    break;
                }
            }
            hanging.countDown();
        }
        assertThat(store.view()
                        .history(store.view().find("work", "1").orElseThrow().id()))
                .anyMatch(entry -> entry.kind() == HistoryKind.ATTEMPT_FAILED);
    }

    @Test
    void aMigrationThatLosesABegunStepLeavesTheSagaAlone() {
        Saga<Steps> first = undoable(Saga.named("work", Steps.class).step("a"), "a")
                .then("b")
                .command(steps -> command("b.do"))
                .onReply("b.done")
                .onRefusal("b.refused")
                .readOnly()
                .build();
        Saga<Steps> second = Saga.named("work", Steps.class)
                .version(2)
                .migrateFrom(1, json -> json)
                .step("b")
                .command(steps -> command("b.do"))
                .onReply("b.done")
                .onRefusal("b.refused")
                .readOnly()
                .build();
        SagaScenario<Steps> scenario = SagaScenario.of(first, Steps.NONE)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .expectCommand("b.do");
        MemorySagaStore store = scenario.store();
        Sagas<MemoryTransaction> newer =
                Sagas.builder(store, store.outbox()).add(second).build();
        Event refusal = SagaScenario.answer(scenario.command(), "b.refused", "{}");
        assertThatThrownBy(() -> store.handle(newer.replies(), refusal)).hasMessageContaining("step a");
        scenario.expectStep("a", StepStatus.COMPLETED).reply("b.refused", "{}").expectCommand("a.undo");
    }
}

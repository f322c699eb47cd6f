package io.waybill.saga;

import static io.waybill.saga.Steps.command;
import static io.waybill.saga.Steps.undoable;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.test.MemoryTransaction;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is known about the effect of a step: attempts that fail in different ways, refusals, and repeated refusals. */
class DoubtTest {

    @Test
    void aStepWhoseFirstAttemptWasSentIsInDoubtAlthoughTheLastOneCouldNotBegin() {
        AtomicInteger attempts = new AtomicInteger();
        Saga<Steps> saga = Saga.named("doubt", Steps.class)
                .step("a")
                .command(steps -> {
                    if (attempts.incrementAndGet() > 1) {
                        throw new IllegalStateException("no quota");
                    }
                    return command("a.do");
                })
                .onReply("a.done")
                .timeout(Duration.ofSeconds(3))
                .attempts(2)
                .compensation(steps -> command("a.undo"))
                .build();
        SagaScenario.of(saga, Steps.NONE)
                .start()
                .expectCommand("a.do")
                .after(Duration.ofSeconds(30))
                .expectCommand("a.undo")
                .expectStatus(SagaStatus.ROLLED_BACK);
    }

    @Test
    void aCommandThatWasNeverSentIsNotUndone() {
        Saga<Steps> saga = Saga.named("doubt", Steps.class)
                .step("a")
                .command(steps -> {
                    throw new IllegalStateException("no quota");
                })
                .onReply("a.done")
                .compensation(steps -> command("a.undo"))
                .build();
        SagaScenario.of(saga, Steps.NONE)
                .start()
                .after(Duration.ofSeconds(30))
                .expectNoCommand()
                .expectStatus(SagaStatus.ROLLED_BACK);
    }

    @Test
    void aStepThatIsGivenUpBeforeItWasSentIsNotUndone() {
        Saga<Steps> saga = undoable(
                        Saga.named("doubt", Steps.class)
                                .onParallelFailure(ParallelFailure.failFast())
                                .step("a"),
                        "a")
                .step("b")
                .command(steps -> {
                    throw new IllegalStateException("no quota");
                })
                .onReply("b.done")
                .compensation(steps -> command("b.undo"))
                .build();
        SagaScenario.of(saga, Steps.NONE)
                .start()
                .expectCommand("a.do")
                .reply("a.refused", "{}")
                .expectNoCommand()
                .expectStatus(SagaStatus.ROLLED_BACK);
    }

    private static Saga<Steps> withRetriable() {
        return Saga.named("doubt", Steps.class)
                .step("pay")
                .local(steps -> steps.with("paid"))
                .pivot()
                .then("ship")
                .command(steps -> command("ship.do"))
                .onReply("ship.done")
                .onRefusal("ship.refused")
                .timeout(Duration.ofSeconds(3))
                .retriable()
                .build();
    }

    /** The participant has stored its refusal under the id of the command and would repeat it for ever. */
    @Test
    void aRefusedStepIsRetriedWithANewCommand() {
        AtomicInteger calls = new AtomicInteger();
        SagaScenario<Steps> scenario = SagaScenario.of(withRetriable(), Steps.NONE);
        SagaParticipant<MemoryTransaction> couriers = SagaParticipant.of(
                "couriers", scenario.store().commands(), scenario.store().outbox());
        scenario.participant(
                        "ship.do",
                        couriers.command((transaction, event) -> calls.incrementAndGet() == 1
                                ? Answer.refused("ship.refused", event.key(), Map.of("reason", "strike"))
                                : Answer.done("ship.done", event.key(), Map.of())))
                .start()
                .deliver()
                .expectStuck("ship")
                .operator(SagaSignal.Kind.RETRY, "ship")
                .deliver()
                .expectStatus(SagaStatus.COMPLETED);
        assertThat(calls).hasValue(2);
    }

    /** The participant may have executed the command, so it must recognise the repetition. */
    @Test
    void aTimedOutStepIsRetriedWithTheSameCommand() {
        SagaScenario<Steps> scenario =
                SagaScenario.of(withRetriable(), Steps.NONE).start().expectCommand("ship.do");
        Event first = scenario.command();
        scenario.after(Duration.ofSeconds(3)).after(Duration.ofSeconds(2)).expectCommand("ship.do");
        assertThat(SagaScenario.commandId(scenario.command())).isEqualTo(SagaScenario.commandId(first));
    }

    @Test
    void repeatedRefusalsOfOneAttemptOfACompensationCountOnce() {
        Saga<Steps> saga = undoable(Saga.named("doubt", Steps.class).step("a"), "a")
                .onCompensationRefused("a.undo-refused")
                .compensationRetry(new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .then("b")
                .command(steps -> command("b.do"))
                .onReply("b.done")
                .onRefusal("b.refused")
                .readOnly()
                .build();
        SagaScenario<Steps> scenario = SagaScenario.of(saga, Steps.NONE)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .expectCommand("b.do")
                .reply("b.refused", "{}")
                .expectCommand("a.undo");
        Event first = scenario.command();
        scenario.reply(first, "a.undo-refused", "{}")
                .reply(first, "a.undo-refused", "{}")
                .after(Duration.ofSeconds(2))
                .expectCommand("a.undo")
                .reply(first, "a.undo-refused", "{}")
                .reply("a.undo-refused", "{}")
                .expectStuck()
                .after(Duration.ofSeconds(2))
                .expectCommand("a.undo")
                .reply(first, "a.undone", "{}")
                .expectStatus(SagaStatus.ROLLED_BACK);
    }

    /** Both could otherwise not be stored: PostgreSQL stores no NUL, and a step has at most 100 characters. */
    @Test
    void hostileRepliesAreStored() {
        SagaScenario<Steps> scenario =
                SagaScenario.of(withRetriable(), Steps.NONE).start().expectCommand("ship.do");
        scenario.reply("ship.refused", "{\"reason\":\"a\\u0000b\\ud800\"}").expectStuck("ship");
        assertThat(scenario.stored().error()).isEqualTo("ship.refused: a?b?");
        assertThat(scenario.history())
                .noneMatch(entry -> String.valueOf(entry.detail()).indexOf(0) >= 0);
        scenario.event(Event.builder("ship.done", "Test", "key-1")
                .header(SagaHeaders.SAGA_ID, scenario.stored().id().toString())
                .header(SagaHeaders.COMMAND_ID, "foreign")
                .header(SagaHeaders.STEP, "x".repeat(3_000))
                .build());
        assertThat(scenario.history())
                .filteredOn(entry -> entry.kind() == HistoryKind.STALE_REPLY)
                .hasSize(1)
                .allSatisfy(entry -> assertThat(entry.step()).isNull());
    }

    @Test
    void theListenerHearsOfAStart() {
        io.waybill.saga.test.MemorySagaStore store = new io.waybill.saga.test.MemorySagaStore();
        List<String> heard = new java.util.ArrayList<>();
        Sagas<MemoryTransaction> sagas = Sagas.builder(store, store.outbox())
                .add(OrderSaga.SAGA)
                .listener(new SagaListener() {
                    @Override
                    public void started(java.util.UUID id, String saga, String businessKey) {
                        heard.add("started " + businessKey);
                    }

                    @Override
                    public void stepStarted(java.util.UUID id, String saga, String step, int attempt) {
                        heard.add("step " + step);
                    }
                })
                .build();
        sagas.start(OrderSaga.SAGA, "42", OrderSaga.ORDER);
        sagas.start(OrderSaga.SAGA, "42", OrderSaga.ORDER);
        assertThat(heard).containsExactly("started 42", "step reserve");
    }
}

package io.waybill.saga;

import static io.waybill.saga.Steps.command;
import static io.waybill.saga.Steps.undoable;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Events of other flows: early, repeated, and replies to another saga. */
class AwaitedEventsTest {
    private static Saga<Steps> awaiting() {
        return undoable(Saga.named("awaiting", Steps.class).step("a"), "a")
                .then("paid")
                .awaitEvent(Event::key)
                .onReply("payment.arrived", (steps, reply) -> steps.with(reply.text("sum")))
                .timeout(Duration.ofMinutes(5))
                .readOnly()
                .build();
    }

    private static Event payment(String payload) {
        return Event.of("payment.arrived", "Payment", "key-1", payload);
    }

    @Test
    void anEarlyEventIsKeptForItsStep() {
        SagaScenario.of(awaiting(), Steps.NONE)
                .start()
                .event(payment("{\"sum\":7}"))
                .expectStatus(SagaStatus.EXECUTING)
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .expectStatus(SagaStatus.COMPLETED)
                .expectData(steps -> assertThat(steps.done()).containsExactly("a", "7"));
    }

    @Test
    void oneEarlyEventIsKeptHoweverManyArrive() {
        SagaScenario<Steps> scenario = SagaScenario.of(awaiting(), Steps.NONE).start();
        for (int sum = 1; sum <= 20; sum++) {
            scenario.event(payment("{\"sum\":" + sum + ",\"text\":\"" + "x".repeat(10_000) + "\"}"));
        }
        assertThat(scenario.stored().state().length()).isLessThan(20_000);
        assertThat(scenario.history())
                .filteredOn(entry -> entry.kind() == HistoryKind.STALE_REPLY)
                .hasSize(19);
        scenario.expectCommand("a.do")
                .reply("a.done", "{}")
                .expectData(steps -> assertThat(steps.done()).containsExactly("a", "1"));
    }

    /** Otherwise the reply to the step before would fail, again and again, until it is a dead letter. */
    @Test
    void anEarlyEventThatCannotBeUsedFailsItsOwnStep() {
        SagaScenario.of(awaiting(), Steps.NONE)
                .start()
                .event(payment("no JSON"))
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .expectStep("paid", StepStatus.FAILED)
                .expectCommand("a.undo");
    }

    @Test
    void aReplyToAnotherSagaIsSeenByTheSagaThatAwaitsItsType() {
        Saga<Steps> paying = Saga.named("paying", Steps.class)
                .step("pay")
                .command(steps -> command("payment.take"))
                .onReply("payment.arrived")
                .readOnly()
                .build();
        SagaScenario<Steps> scenario = SagaScenario.of(awaiting(), Steps.NONE)
                .with(paying)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}");
        scenario.engine().start(paying, "other", Steps.NONE);
        scenario.replyTo("payment.take", "payment.arrived", "{}").expectStatus(SagaStatus.COMPLETED);
        assertThat(scenario.engine().result(paying, "other").orElseThrow().status())
                .isEqualTo(SagaStatus.COMPLETED);
    }

    /** The command belongs to a saga of another service. */
    @Test
    void aReplyToASagaElsewhereIsSeenByTheSagaThatAwaitsItsType() {
        SagaScenario.of(awaiting(), Steps.NONE)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .event(Event.builder("payment.arrived", "Payment", "key-1")
                        .header(SagaHeaders.SAGA_ID, UUID.randomUUID().toString())
                        .header(SagaHeaders.COMMAND_ID, UUID.randomUUID().toString())
                        .build())
                .expectStatus(SagaStatus.COMPLETED);
    }

    /** The participant copies the headers of the command, although no step waits for a reply to it. */
    @Test
    void anEventThatFollowsACommandWithoutReplyIsAccepted() {
        Saga<Steps> saga = Saga.named("pair", Steps.class)
                .step("order")
                .command(steps -> command("parcel.order"))
                .noCompensation("a parcel more")
                .then("delivered")
                .awaitEvent(Event::key)
                .onReply("parcel.delivered")
                .readOnly()
                .build();
        SagaScenario.of(saga, Steps.NONE)
                .start()
                .expectCommand("parcel.order")
                .reply("parcel.delivered", "{}")
                .expectStatus(SagaStatus.COMPLETED);
    }
}

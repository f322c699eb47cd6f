package io.waybill.saga;

import static io.waybill.saga.OrderSaga.ORDER;
import static io.waybill.saga.OrderSaga.SAGA;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Durable sagas of commands, in memory and on virtual time. */
class DurableSagaTest {

    private static SagaScenario<OrderSaga.Order> started() {
        return SagaScenario.of(SAGA, ORDER).start().expectCommand("stock.reserve");
    }

    private static SagaScenario<OrderSaga.Order> reserved() {
        return started().reply("stock.reserved", "{\"place\":\"A7\"}").expectCommand("payment.request");
    }

    @Test
    void everyStepSucceeds() {
        reserved()
                .reply("payment.done", "{}")
                .expectCommand("delivery.request")
                .reply("delivery.planned", "{}")
                .expectNoCommand()
                .expectStatus(SagaStatus.COMPLETED)
                .expectData(order -> assertThat(order.done()).containsExactly("reserved A7", "paid", "shipped"));
    }

    @Test
    void aRefusedFirstStepLeavesNothingToUndo() {
        started()
                .reply("stock.missing", "{\"reason\":\"sold out\"}")
                .expectNoCommand()
                .expectStatus(SagaStatus.ROLLED_BACK)
                .verify((result, history) -> assertThat(result.error()).contains("sold out"));
    }

    @Test
    void aRefusedPivotUndoesTheStepsBeforeIt() {
        reserved()
                .reply("payment.declined", "{}")
                .expectCommand("stock.release")
                .expectStatus(SagaStatus.COMPENSATING)
                .reply("stock.released", "{}")
                .expectNoCommand()
                .expectStatus(SagaStatus.ROLLED_BACK);
    }

    @Test
    void anUnansweredCommandIsRepeatedUnderTheSameId() {
        SagaScenario<OrderSaga.Order> scenario = started();
        Event first = scenario.command();
        scenario.after(Duration.ofSeconds(5)).expectCommand("stock.reserve");
        Event second = scenario.command();
        assertThat(SagaScenario.commandId(second)).isEqualTo(SagaScenario.commandId(first));
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.headers()).containsEntry(SagaHeaders.ATTEMPT, "2");

        scenario.reply(first, "stock.reserved", "{}").expectCommand("payment.request");
        scenario.reply(second, "stock.reserved", "{}").expectNoCommand();
        assertThat(scenario.history()).anyMatch(entry -> entry.kind() == HistoryKind.STALE_REPLY);
    }

    @Test
    void aStepWithoutAnAnswerIsInDoubtAndUndone() {
        SagaScenario<OrderSaga.Order> scenario = started()
                .after(Duration.ofSeconds(20))
                .expectCommand("stock.reserve")
                .expectCommand("stock.reserve")
                .expectCommand("stock.release");
        scenario.reply(scenario.command(), "stock.released", "{}").expectStatus(SagaStatus.ROLLED_BACK);
        scenario.replyTo("stock.reserve", "stock.reserved", "{}")
                .expectNoCommand()
                .expectStatus(SagaStatus.ROLLED_BACK);
    }

    @Test
    void aPivotWithoutAnAnswerWaitsForAPerson() {
        reserved()
                .after(Duration.ofMinutes(1))
                .expectCommands("payment.request", "payment.request")
                .expectNoCommand()
                .expectStatus(SagaStatus.FORWARD_RECOVERY)
                .expectStuck("pay")
                .replyTo("payment.request", "payment.done", "{}")
                .expectCommand("delivery.request")
                .expectStatus(SagaStatus.EXECUTING);
    }

    @Test
    void aPersonDecidesAboutThePivot() {
        reserved()
                .after(Duration.ofMinutes(1))
                .expectCommands("payment.request", "payment.request")
                .operator(SagaSignal.Kind.REFUSE, "pay")
                .expectCommand("stock.release");
    }

    @Test
    void afterThePivotTheSagaOnlyGoesForward() {
        reserved()
                .reply("payment.done", "{}")
                .expectCommand("delivery.request")
                .reply("delivery.refused", "{}")
                .expectNoCommand()
                .expectStatus(SagaStatus.FORWARD_RECOVERY)
                .operator(SagaSignal.Kind.CANCEL, null)
                .expectStatus(SagaStatus.FORWARD_RECOVERY)
                .operator(SagaSignal.Kind.RETRY, "ship")
                .expectCommand("delivery.request")
                .reply("delivery.planned", "{}")
                .expectStatus(SagaStatus.COMPLETED);
    }

    @Test
    void aStepThatIsSkippedAfterThePivotLeavesThePartBeforeItCommitted() {
        reserved()
                .reply("payment.done", "{}")
                .expectCommand("delivery.request")
                .reply("delivery.refused", "{}")
                .operator(SagaSignal.Kind.SKIP, "ship")
                .expectStatus(SagaStatus.PARTIALLY_COMMITTED)
                .verify((result, history) -> assertThat(result.taintedSteps()).containsExactly("reserve", "pay"));
    }

    @Test
    void aCompensationThatFailsWaitsForAPerson() {
        SagaScenario<OrderSaga.Order> scenario = reserved()
                .reply("payment.declined", "{}")
                .expectCommand("stock.release")
                .after(Duration.ofMinutes(5))
                .expectCommands("stock.release", "stock.release")
                .expectNoCommand()
                .expectStatus(SagaStatus.FAILED)
                .expectStuck("reserve");
        assertThat(scenario.stored().ended()).isFalse();
        scenario.operator(SagaSignal.Kind.RETRY, "reserve")
                .expectCommand("stock.release")
                .reply("stock.released", "{}")
                .expectStatus(SagaStatus.ROLLED_BACK);
    }

    @Test
    void aCompensationThatIsGivenUpNeverEndsAsRolledBack() {
        SagaScenario<OrderSaga.Order> scenario = reserved()
                .reply("payment.declined", "{}")
                .after(Duration.ofMinutes(5))
                .operator(SagaSignal.Kind.SKIP, "reserve")
                .expectStatus(SagaStatus.FAILED)
                .expectStep("reserve", StepStatus.TAINTED);
        assertThat(scenario.stored().ended()).isTrue();
    }

    @Test
    void aSagaIsCancelledBeforeItsPivot() {
        started()
                .reply("stock.reserved", "{}")
                .expectCommand("payment.request")
                .operator(SagaSignal.Kind.CANCEL, null)
                .expectNoCommand()
                .expectStatus(SagaStatus.EXECUTING);
        started()
                .operator(SagaSignal.Kind.CANCEL, null)
                .after(Duration.ofSeconds(30))
                .expectCommand("stock.release");
    }

    @Test
    void startingTwiceWithOneKeyStartsOneSaga() {
        SagaScenario<OrderSaga.Order> scenario = started();
        scenario.start().expectNoCommand();
    }

    @Test
    void foreignAndDuplicateRepliesChangeNothing() {
        SagaScenario<OrderSaga.Order> scenario = reserved();
        List<?> before = List.of(scenario.stored().status(), scenario.stored().data());
        scenario.replyTo("stock.reserve", "stock.reserved", "{}")
                .event(Event.of("payment.done", "Payment", "42", "{}"))
                .event(Event.builder("payment.done", "Payment", "42")
                        .header(SagaHeaders.SAGA_ID, "00000000-0000-0000-0000-000000000000")
                        .header(SagaHeaders.COMMAND_ID, "00000000-0000-0000-0000-000000000000")
                        .build())
                .expectNoCommand();
        assertThat(List.of(scenario.stored().status(), scenario.stored().data()))
                .isEqualTo(before);
    }
}

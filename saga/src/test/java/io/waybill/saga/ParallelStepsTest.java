package io.waybill.saga;

import static io.waybill.saga.Steps.command;
import static io.waybill.saga.Steps.undoable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.WaybillException;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps beside each other: a diamond, the failure strategies, and steps beside the pivot. */
class ParallelStepsTest {
    private static SagaBuilder<Steps> named() {
        return Saga.named("parallel", Steps.class);
    }

    /** a, then b and c beside each other, then d. */
    private static Saga<Steps> diamond(ParallelFailure strategy) {
        StepBuilder<Steps> a = undoable(named().onParallelFailure(strategy).step("a"), "a");
        StepBuilder<Steps> b = undoable(a.then("b"), "b");
        StepBuilder<Steps> c = undoable(b.step("c"), "c").after("a");
        return undoable(c.step("d"), "d").after("b", "c").build();
    }

    private static SagaScenario<Steps> branches(ParallelFailure strategy) {
        return SagaScenario.of(diamond(strategy), Steps.NONE)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .expectCommands("b.do", "c.do");
    }

    @Test
    void bothBranchesOfADiamondAreUndoneBeforeTheirCommonStep() {
        branches(ParallelFailure.waitAll())
                .replyTo("c.do", "c.done", "{}")
                .replyTo("b.do", "b.done", "{}")
                .expectCommand("d.do")
                .reply("d.refused", "{}")
                .expectCommands("b.undo", "c.undo")
                .replyTo("c.undo", "c.undone", "{}")
                .expectNoCommand()
                .replyTo("b.undo", "b.undone", "{}")
                .expectCommand("a.undo")
                .reply("a.undone", "{}")
                .expectStatus(SagaStatus.ROLLED_BACK)
                .expectData(steps -> assertThat(steps.done()).containsExactly("a", "c", "b", "-c", "-b", "-a"));
    }

    @Test
    void waitAllWaitsForTheStepInProgress() {
        branches(ParallelFailure.waitAll())
                .replyTo("b.do", "b.refused", "{}")
                .expectNoCommand()
                .replyTo("c.do", "c.done", "{}")
                .expectCommand("c.undo")
                .expectStep("b", StepStatus.FAILED);
    }

    @Test
    void failFastTreatsTheStepInProgressAsInDoubt() {
        branches(ParallelFailure.failFast())
                .replyTo("b.do", "b.refused", "{}")
                .expectCommand("c.undo")
                .replyTo("c.do", "c.done", "{}")
                .expectStep("c", StepStatus.COMPENSATING)
                .replyTo("c.undo", "c.undone", "{}")
                .expectCommand("a.undo");
    }

    @Test
    void afterTheGraceTheStepInProgressIsInDoubt() {
        branches(ParallelFailure.failFastWithGrace(Duration.ofSeconds(1)))
                .replyTo("b.do", "b.refused", "{}")
                .expectNoCommand()
                .after(Duration.ofSeconds(1))
                .expectCommand("c.undo");
    }

    /** A read-only step runs beside the pivot; its failure waits for the pivot, which decides the direction. */
    private static SagaScenario<Steps> besideThePivot() {
        Saga<Steps> saga = undoable(
                        named().onParallelFailure(ParallelFailure.failFast()).step("a"), "a")
                .then("pay")
                .command(steps -> command("pay.do"))
                .onReply("pay.done")
                .onRefusal("pay.refused")
                .timeout(Duration.ofMinutes(10))
                .pivot()
                .step("check")
                .command(steps -> command("check.do"))
                .onReply("check.done")
                .onRefusal("check.refused")
                .readOnly()
                .after("a")
                .step("news")
                .awaitEvent(event -> event.key())
                .onReply("news.arrived")
                .readOnly()
                .after("a")
                .build();
        return SagaScenario.of(saga, Steps.NONE)
                .start()
                .expectCommand("a.do")
                .reply("a.done", "{}")
                .expectCommands("pay.do", "check.do");
    }

    @Test
    void aSagaThatWaitsForItsPivotAfterAFailureIsNotDueAllTheTime() {
        besideThePivot()
                .replyTo("check.do", "check.refused", "{}")
                .expectNoCommand()
                .after(Duration.ofMinutes(1))
                .replyTo("pay.do", "pay.refused", "{}")
                .expectCommand("a.undo");
    }

    @Test
    void thePivotRevivesTheStepsThatWereGivenUpBesideIt() {
        SagaScenario<Steps> scenario = besideThePivot()
                .replyTo("check.do", "check.refused", "{}")
                .replyTo("pay.do", "pay.done", "{}")
                .expectStuck("check")
                .expectStep("news", StepStatus.EXECUTING)
                .operator(SagaSignal.Kind.SKIP, "check")
                .expectStatus(SagaStatus.EXECUTING);
        scenario.event(io.waybill.Event.of("news.arrived", "News", "key-1", "{}"))
                .expectStatus(SagaStatus.PARTIALLY_COMMITTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x.arrived", "a.done"})
    void twoStepsThatCannotTellTheirEventsApartAreRefused(String type) {
        assertThatThrownBy(() -> undoable(named().step("a"), "a")
                        .step("x")
                        .awaitEvent(event -> event.key())
                        .onReply("x.arrived")
                        .readOnly()
                        .step("y")
                        .awaitEvent(event -> event.key())
                        .onReply(type)
                        .readOnly()
                        .then("z")
                        .local(steps -> steps)
                        .readOnly()
                        .after("a", "x")
                        .build())
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining(type)
                .hasMessageContaining("tep y");
    }
}

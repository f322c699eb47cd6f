package io.waybill.saga;

import static io.waybill.saga.Steps.command;
import static io.waybill.saga.Steps.undoable;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Sagas as steps of other sagas. */
class ChildSagaTest {
    private static final Saga<Steps> CHILD =
            undoable(Saga.named("child", Steps.class).step("c"), "c").build();

    private static Saga<Steps> parent(boolean afterPivot) {
        StepStart<Steps> next = afterPivot
                ? Saga.named("parent", Steps.class)
                        .step("first")
                        .local(steps -> steps)
                        .pivot()
                        .then("sub")
                : undoable(
                                Saga.named("parent", Steps.class)
                                        .onParallelFailure(ParallelFailure.failFast())
                                        .step("first"),
                                "first")
                        .step("sub");
        StepBuilder<Steps> sub =
                next.child(CHILD, steps -> "child-of-1", steps -> steps, (steps, child) -> steps.with("child"));
        return afterPivot
                ? sub.timeout(Duration.ofMinutes(1)).retriable().build()
                : sub.compensation(steps -> command("child.undo")).build();
    }

    @Test
    void aChildThatWasRolledBackIsStartedAgainWhenItsStepIsRetried() {
        SagaScenario<Steps> scenario = SagaScenario.of(parent(true), Steps.NONE)
                .start()
                .expectCommand("c.do")
                .reply("c.refused", "{}")
                .expectStuck("sub")
                .operator(SagaSignal.Kind.RETRY, "sub")
                .expectCommand("c.do")
                .reply("c.done", "{}")
                .expectStatus(SagaStatus.COMPLETED);
        assertThat(scenario.store().view().find("child", "child-of-1"))
                .map(SagaRecord::status)
                .contains(SagaStatus.ROLLED_BACK);
    }

    @Test
    void aFailureBesideAChildCancelsItAndWaitsWithoutBeingDueAllTheTime() {
        SagaScenario.of(parent(false), Steps.NONE)
                .start()
                .expectCommands("first.do", "c.do")
                .replyTo("first.do", "first.refused", "{}")
                .expectStatus(SagaStatus.EXECUTING)
                .after(Duration.ofSeconds(30))
                .replyTo("c.do", "c.done", "{}")
                .replyTo("c.undo", "c.undone", "{}")
                .expectStatus(SagaStatus.ROLLED_BACK)
                .expectStep("sub", StepStatus.FAILED);
    }

    @Test
    void aChildThatCompletedIsUndoneByItsParent() {
        SagaScenario.of(parent(false), Steps.NONE)
                .start()
                .replyTo("c.do", "c.done", "{}")
                .expectStep("sub", StepStatus.COMPLETED)
                .replyTo("first.do", "first.refused", "{}")
                .expectCommands("first.do", "c.do", "child.undo")
                .expectStatus(SagaStatus.ROLLED_BACK);
    }

    @Test
    void aChildWhoseKeyIsTakenFailsItsStep() {
        SagaScenario<Steps> scenario = SagaScenario.of(parent(false), Steps.NONE);
        scenario.engine().start(CHILD, "child-of-1", Steps.NONE);
        scenario.start().expectStep("sub", StepStatus.FAILED);
    }

    @Test
    void aTimedOutChildIsCancelledAndItsStepWaitsForItsEnd() {
        SagaScenario.of(parent(true), Steps.NONE)
                .start()
                .expectCommand("c.do")
                .after(Duration.ofSeconds(1))
                .reply("c.done", "{}")
                .expectStatus(SagaStatus.COMPLETED);
    }
}

package io.waybill.saga;

import static io.waybill.saga.OrderSaga.ORDER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.saga.internal.execution.SagaRules;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.test.CrashPoints;
import io.waybill.saga.test.Interleavings;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Crashes at every point, messages in every order, and time-outs in the instant of a reply. */
class DisturbedSagaTest {

    /** S1, S3, S4, S5: forward, and undone after a refusal of each step. */
    @ParameterizedTest
    @ValueSource(strings = {"nobody", "a", "b", "c", "d", "pay"})
    void aCrashAtAnyPointChangesNoOutcome(String refusing) {
        SagaStatus expected = refusing.equals("nobody") ? SagaStatus.COMPLETED : SagaStatus.ROLLED_BACK;
        int points = CrashPoints.each(() -> Warehouse.scenario(refusing), scenario -> {
            scenario.expectStatus(expected);
            Warehouse.requireConsistent(scenario);
        });
        assertThat(points).isGreaterThan(8);
    }

    /** S6, S7, S8, S9: late, duplicate and reordered messages; compensations that overtake their commands. */
    @ParameterizedTest
    @ValueSource(strings = {"nobody", "b", "d", "pay"})
    void messagesInAnyOrderLeaveAConsistentState(String refusing) {
        Interleavings.each(100, () -> Warehouse.scenario(refusing), Warehouse::requireConsistent);
    }

    @Test
    void aWrongOrderOfCompensationsIsNoticed() {
        SagaRules forward = new SagaRules() {
            @Override
            protected boolean undoneBefore(Saga<?> saga, String step, String other) {
                return saga.allDependants(step).contains(other);
            }
        };
        assertThatThrownBy(() -> Interleavings.each(
                        20, () -> Warehouse.scenario("pay").with(forward), Warehouse::requireConsistent))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed");
    }

    /** S14: the order of the reply and of the timer decides; the saga has one outcome either way. */
    @Test
    void aReplyInTheInstantOfTheLastTimeOutHasOneOutcome() {
        int[] outcomes = new int[2];
        for (int seed = 0; seed < 1_000; seed++) {
            boolean replyFirst = (new SplittableRandom(seed).nextInt() & 1) == 0;
            SagaScenario<OrderSaga.Order> scenario =
                    SagaScenario.of(OrderSaga.SAGA, ORDER).start();
            while (scenario.commands("stock.reserve").size() < 3) {
                scenario.after(Duration.ofSeconds(1));
            }
            Event command = scenario.commands("stock.reserve").get(seed % 3);
            scenario.store()
                    .advance(Duration.between(
                            scenario.store().now(), scenario.store().nextWake().orElseThrow()));
            if (!replyFirst) {
                scenario.run();
            }
            scenario.event(SagaScenario.answer(command, "stock.reserved", "{\"place\":\"A7\"}"))
                    .run();
            outcomes[replyFirst ? 0 : 1]++;
            scenario.expectStep("reserve", replyFirst ? StepStatus.COMPLETED : StepStatus.COMPENSATING);
            assertThat(scenario.commands("payment.request")).hasSize(replyFirst ? 1 : 0);
            assertThat(scenario.commands("stock.release")).hasSize(replyFirst ? 0 : 1);
            assertThat(scenario.history())
                    .filteredOn(entry -> entry.kind() == HistoryKind.STALE_REPLY)
                    .hasSize(replyFirst ? 0 : 1);
        }
        assertThat(Math.min(outcomes[0], outcomes[1])).isGreaterThan(400);
    }

    /** S13. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void aSagaIsCancelledInAnyState(int messages) {
        SagaScenario<Steps> scenario = Warehouse.scenario("nobody").start();
        scenario.deliver(messages);
        if (scenario.stored().ended()) {
            assertThatThrownBy(() -> scenario.operator(SagaSignal.Kind.CANCEL, null))
                    .hasMessageContaining("has ended");
            return;
        }
        scenario.operator(SagaSignal.Kind.CANCEL, null);
        boolean beforePivot = scenario.history().stream().anyMatch(entry -> entry.kind() == HistoryKind.CANCELLED);
        scenario.deliver().after(Duration.ofHours(2)).deliver();
        scenario.expectStatus(beforePivot ? SagaStatus.ROLLED_BACK : SagaStatus.COMPLETED);
        Warehouse.requireConsistent(scenario);
    }

    /** S22. */
    @ParameterizedTest
    @ValueSource(strings = {"nobody", "d", "pay"})
    void thePictureShowsWhatTheHistorySays(String refusing) {
        SagaScenario<Steps> scenario = Warehouse.scenario(refusing).start().deliver();
        scenario.after(Duration.ofHours(2)).deliver();
        String picture = scenario.picture();
        List<HistoryEntry> history = scenario.history();
        for (String step : List.of("a", "b", "c", "d", "pay", "ship")) {
            StepStatus expected = last(history, step);
            scenario.expectStep(step, expected);
            assertThat(picture).contains("\"" + step + "<br>" + expected);
        }
    }

    private static StepStatus last(List<HistoryEntry> history, String step) {
        StepStatus status = StepStatus.PENDING;
        for (HistoryEntry entry : history) {
            if (step.equals(entry.step())) {
                status = switch (entry.kind()) {
                    case STEP_STARTED -> StepStatus.EXECUTING;
                    case STEP_COMPLETED -> StepStatus.COMPLETED;
                    case STEP_FAILED -> StepStatus.FAILED;
                    case STEP_IN_DOUBT -> StepStatus.IN_DOUBT;
                    case COMPENSATION_STARTED -> StepStatus.COMPENSATING;
                    case STEP_COMPENSATED -> StepStatus.COMPENSATED;
                    default -> status;
                };
            }
        }
        return status;
    }
}

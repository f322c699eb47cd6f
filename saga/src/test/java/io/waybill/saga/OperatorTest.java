package io.waybill.saga;

import static io.waybill.saga.OrderSaga.ORDER;
import static io.waybill.saga.OrderSaga.SAGA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.WaybillException;
import io.waybill.saga.admin.RequestOutcome;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.SagaActivity;
import io.waybill.saga.admin.SagaDetails;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.admin.SagaRequest;
import io.waybill.saga.admin.StepDetails;
import io.waybill.saga.admin.StuckStep;
import io.waybill.saga.admin.UnknownSagaException;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.picture.SagaPlan;
import io.waybill.saga.picture.SagaPlan.Consequence;
import io.waybill.saga.store.SagaSignal.Kind;
import io.waybill.saga.test.SagaScenario;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What operators see of sagas, and the requests with which they decide. */
class OperatorTest {
    private static SagaScenario<OrderSaga.Order> reserved() {
        SagaScenario<OrderSaga.Order> scenario = SagaScenario.of(SAGA, ORDER);
        scenario.engine().register();
        return scenario.start().expectCommand("stock.reserve").reply("stock.reserved", "{\"place\":\"A7\"}");
    }

    /** The pivot is in doubt and waits for a person. */
    private static SagaScenario<OrderSaga.Order> stuckPivot() {
        return reserved().after(Duration.ofMinutes(1)).expectStuck("pay");
    }

    /** The compensation of the first step has failed. */
    private static SagaScenario<OrderSaga.Order> stuckCompensation() {
        return reserved()
                .expectCommand("payment.request")
                .reply("payment.declined", "{}")
                .after(Duration.ofMinutes(5))
                .expectStuck("reserve");
    }

    private static SagaActions actions(SagaScenario<?> scenario) {
        return SagaActions.on(scenario.store());
    }

    @Test
    void aSagaIsFoundByIdAndByNameAndKey() {
        SagaScenario<?> scenario = stuckPivot();
        SagaActions actions = actions(scenario);
        assertThat(actions.find("place-order/key-1")).isEqualTo(scenario.stored());
        assertThat(actions.find(scenario.stored().id().toString())).isEqualTo(scenario.stored());
        assertThatThrownBy(() -> actions.find("place-oder/key-1"))
                .isInstanceOf(UnknownSagaException.class)
                .hasMessageContaining("Did you mean 'place-order'?");
        assertThatThrownBy(() -> actions.find("place-order/key-2"))
                .isInstanceOf(UnknownSagaException.class)
                .hasMessageContaining("Did you mean 'key-1'?");
        assertThatThrownBy(() -> actions.find("key-1")).hasMessageContaining("NAME/KEY");
    }

    @Test
    void aRequestIsPendingUntilAnEngineAppliesIt() {
        SagaScenario<?> scenario = stuckPivot();
        SagaActions actions = actions(scenario);
        SagaRequest request = actions.request(scenario.stored(), Kind.REFUSE, null, null, "ada", "no payment");
        assertThat(request.step()).isEqualTo("pay");
        assertThat(actions.outcome(request).state()).isEqualTo(RequestOutcome.State.PENDING);
        assertThat(actions.pending(scenario.stored().id())).hasSize(1);
        scenario.run();
        assertThat(actions.outcome(request).state()).isEqualTo(RequestOutcome.State.DONE);
        assertThat(scenario.stored().status()).isEqualTo(SagaStatus.COMPENSATING);
    }

    @Test
    void theReasonForARefusalIsReportedHoweverLongTheRequestsReasonIs() {
        SagaScenario<?> scenario = stuckPivot();
        SagaActions actions = actions(scenario);
        SagaRequest skip = actions.request(scenario.stored(), Kind.SKIP, "pay", null, "ada", "x. By y".repeat(500));
        SagaRequest cancel = actions.request(scenario.stored(), Kind.CANCEL, null, null, "ada", "too late");
        scenario.run();
        assertThat(actions.outcome(skip))
                .returns(RequestOutcome.State.REFUSED, RequestOutcome::state)
                .returns(
                        "the pivot cannot be skipped. Resolve it if it has succeeded; refuse it if it has failed",
                        RequestOutcome::detail);
        assertThat(actions.outcome(cancel).detail()).contains("reached its pivot pay");
    }

    @Test
    void aRequestThatCannotSucceedIsRefusedBeforeItIsPosted() {
        SagaScenario<?> scenario = stuckPivot();
        SagaActions actions = actions(scenario);
        assertThatThrownBy(() -> actions.request(scenario.stored(), Kind.RETRY, "pya", null, "ada", "typo"))
                .isInstanceOf(UnknownSagaException.class)
                .hasMessageContaining("Did you mean 'pay'?");
        assertThatThrownBy(() -> actions.request(scenario.stored(), Kind.RETRY, "reserve", null, "ada", "wrong"))
                .hasMessageContaining("COMPLETED")
                .hasMessageContaining("Steps that wait: pay");
        assertThatThrownBy(() -> actions.request(scenario.stored(), Kind.RETRY, "pay", null, "ada", " "))
                .hasMessageContaining("needs a reason");
        assertThatThrownBy(() -> actions.request(scenario.stored(), Kind.RETRY, "pay", null, "a".repeat(256), "r"))
                .hasMessageContaining("needs an actor");
        assertThatThrownBy(() -> actions.request(scenario.stored(), Kind.RESOLVE, "pay", "{", "ada", "r"))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("JSON");
        assertThat(scenario.store().view().signals(scenario.stored().id())).isEmpty();
        scenario.operator(Kind.REFUSE, "pay").replyTo("stock.release", "stock.released", "{}");
        assertThatThrownBy(() -> actions.request(scenario.stored(), Kind.CANCEL, null, null, "ada", "late"))
                .hasMessageContaining("has ended as ROLLED_BACK");
    }

    @Test
    void stuckStepsAreRetriedTogether() {
        SagaScenario<?> scenario = stuckCompensation();
        SagaActions actions = actions(scenario);
        assertThat(actions.stuckSteps(SagaFilter.all(10).stuckStep("pay"))).isEmpty();
        List<StuckStep> found = actions.stuckSteps(SagaFilter.all(10).stuckStep("reserve"));
        assertThat(found).extracting(StuckStep::step).containsExactly("reserve");
        List<SagaRequest> requests = actions.retry(found, "ada", "stock is up again");
        scenario.run();
        assertThat(requests)
                .hasSize(1)
                .allMatch(request -> actions.outcome(request).state().equals(RequestOutcome.State.DONE));
        scenario.replyTo("stock.release", "stock.released", "{}");
        assertThat(scenario.stored().status()).isEqualTo(SagaStatus.ROLLED_BACK);
        assertThat(actions.retry(found, "ada", "again")).isEmpty();
    }

    @Test
    void theActivityCountsSagasThatHaveNotEnded() {
        SagaScenario<?> scenario = stuckCompensation();
        assertThat(scenario.store().view().activity()).singleElement().satisfies(activity -> {
            assertThat(activity)
                    .returns("place-order", SagaActivity::name)
                    .returns(SagaStatus.FAILED, SagaActivity::status)
                    .returns(1L, SagaActivity::stuck);
            assertThat(activity.oldest()).isGreaterThanOrEqualTo(Duration.ofMinutes(5));
        });
    }

    /** The state that the whole history tells is the stored one, in every kind of outcome. */
    @Test
    void aPastStateFollowsFromTheHistory() {
        List<SagaScenario<?>> scenarios = new ArrayList<>(List.of(
                reserved(),
                stuckPivot(),
                stuckCompensation(),
                stuckCompensation().operator(Kind.SKIP, "reserve"),
                stuckCompensation().operator(Kind.RETRY, "reserve"),
                reserved().after(Duration.ofSeconds(4)),
                stuckPivot().operator(Kind.RESOLVE, "pay"),
                stuckPivot().operator(Kind.REFUSE, "pay")));
        scenarios.add(stuckPivot()
                .operator(Kind.RESOLVE, "pay")
                .replyTo("delivery.request", "delivery.refused", "{}")
                .operator(Kind.SKIP, "ship"));
        for (SagaScenario<?> scenario : scenarios) {
            SagaDetails now = SagaDetails.of(scenario.store().view(), scenario.stored(), 1_000);
            SagaDetails then = now.at(scenario.store().now());
            assertThat(then.saga().status())
                    .as(now.history().toString())
                    .isEqualTo(now.saga().status());
            assertThat(then.saga().stuck()).isEqualTo(now.saga().stuck());
            assertThat(then.saga().endedAt()).isEqualTo(now.saga().endedAt());
            assertThat(then.steps())
                    .usingRecursiveFieldByFieldElementComparatorIgnoringFields("error", "nextAt", "endedAt")
                    .isEqualTo(now.steps());
            assertThat(then.picture()).isEqualTo(now.picture()).isPresent();
        }
    }

    @Test
    void anEarlierMomentShowsTheStateOfThatTime() {
        SagaScenario<?> scenario = stuckCompensation();
        SagaDetails details = SagaDetails.of(scenario.store().view(), scenario.stored(), 1_000);
        Instant start = scenario.stored().createdAt();
        SagaDetails then = details.at(start);
        assertThat(then.saga().status()).isEqualTo(SagaStatus.COMPENSATING);
        assertThat(then.steps())
                .extracting(StepDetails::status)
                .containsExactly(StepStatus.COMPENSATING, StepStatus.FAILED, StepStatus.PENDING);
        assertThat(details.saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThatThrownBy(() -> details.at(start.minusSeconds(1))).hasMessageContaining("did not exist");
        SagaDetails cut = SagaDetails.of(scenario.store().view(), scenario.stored(), 2);
        assertThat(cut.history()).hasSize(2);
        assertThat(cut.historyComplete()).isFalse();
        assertThatThrownBy(() -> cut.at(start)).hasMessageContaining("more than 2 entries");
    }

    @Test
    void thePlanTellsWhatIsUndoneAndInWhichOrder() {
        Saga<OrderSaga.Order> travel = Saga.named("travel", OrderSaga.Order.class)
                .step("hotel")
                .command(order -> Command.to("hotel.book", order.id(), order))
                .onReply("hotel.booked")
                .timeout(Duration.ofSeconds(20))
                .compensation(order -> Command.to("hotel.cancel", order.id(), order))
                .step("flight")
                .command(order -> Command.to("flight.book", order.id(), order))
                .onReply("flight.booked")
                .timeout(Duration.ofSeconds(10))
                .compensation(order -> Command.to("flight.cancel", order.id(), order))
                .then("seat")
                .command(order -> Command.to("seat.book", order.id(), order))
                .onReply("seat.booked")
                .timeout(Duration.ofSeconds(5))
                .compensation(order -> Command.to("seat.cancel", order.id(), order))
                .step("pay")
                .command(order -> Command.to("pay", order.id(), order))
                .onReply("paid")
                .timeout(Duration.ofSeconds(3))
                .after("hotel", "seat")
                .pivot()
                .then("mail")
                .command(order -> Command.to("mail", order.id(), order))
                .onReply("mailed")
                .timeout(Duration.ofSeconds(1))
                .retriable()
                .build();
        SagaPlan plan = SagaPlan.of(SagaOutline.of(travel));
        assertThat(plan.layers())
                .containsExactly(List.of("hotel", "flight"), List.of("seat"), List.of("pay"), List.of("mail"));
        assertThat(plan.criticalPath()).containsExactly("hotel", "pay", "mail");
        assertThat(plan.longest()).isEqualTo(Duration.ofSeconds(24));
        assertThat(plan.pivot()).isEqualTo("pay");
        assertThat(undone(plan, "flight")).containsExactly(List.of("flight", "hotel"));
        assertThat(undone(plan, "seat")).containsExactly(List.of("seat", "hotel"), List.of("flight"));
        assertThat(undone(plan, "pay")).containsExactly(List.of("seat", "hotel"), List.of("flight"));
        assertThat(plan.failures().get(4).consequence()).isEqualTo(Consequence.FORWARD_RECOVERY);
    }

    private static List<List<String>> undone(SagaPlan plan, String step) {
        return plan.failures().stream()
                .filter(failure -> failure.step().equals(step))
                .findFirst()
                .orElseThrow()
                .undone();
    }
}

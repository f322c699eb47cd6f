package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.RejectingTransport;
import io.waybill.acceptance.Scenario;
import io.waybill.admin.EventFilter;
import io.waybill.admin.OutboxStatus;
import io.waybill.faults.history.History;
import io.waybill.jdbc.Engine;
import io.waybill.retry.RetryPolicy;
import io.waybill.transport.Failure;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A failing event of one key among ten thousand events of other keys (R11). */
@ParameterizedClass
@EnumSource(Engine.class)
@Execution(ExecutionMode.CONCURRENT) // both engines at once
class FailingKeyTest {
    private static final String FAILING = "failing-1";

    private final Engine engine;

    FailingKeyTest(Engine engine) {
        this.engine = engine;
    }

    @Test
    void onlyTheFailingKeyWaits() throws Exception {
        AtomicBoolean healed = new AtomicBoolean();
        History history = new History();
        try (Scenario scenario = new Scenario("R11 a failing key among 10,000 events", engine)) {
            try (LargeTransaction first = LargeTransaction.begin(scenario, history);
                    LargeTransaction second = LargeTransaction.begin(scenario, history)) {
                first.append("failing-", 1, 10).append("key-", 30, 167).commit();
                second.append("failing-", 1, 10).append("key-", 30, 167).commit();
            }
            RejectingTransport transport = new RejectingTransport(
                    scenario.transport(),
                    new ConcurrentHashMap<>(),
                    message -> message.key().equals(FAILING) && !healed.get()
                            ? Optional.of(Failure.transientFailure("refused by the test"))
                            : Optional.empty());
            scenario.start(Scenario.relay("relay", Duration.ofSeconds(10), scenario.store(), transport)
                    .retry(new RetryPolicy(1_000, Duration.ofMillis(100), Duration.ofMillis(400))));
            await("all others are published")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> scenario.status().pending() == 20);
            OutboxStatus waiting = scenario.status();
            assertThat(waiting.blockedKeys()).isEqualTo(1);
            assertThat(waiting.parked()).isEqualTo(19);
            assertThat(waiting.deadLetters()).isZero();
            assertThat(scenario.view()
                            .events(EventFilter.ALL.key(FAILING), 1)
                            .get(0)
                            .lastError())
                    .isEqualTo("refused by the test");
            healed.set(true);
            scenario.awaitDrained();
            assertThat(scenario.conclude(history, 0).duplicates()).isZero();
        }
    }
}

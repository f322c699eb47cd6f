package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.faults.crash.InboxCrash;
import io.waybill.faults.crash.InboxCrash.Point;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.ConsumerProgram;
import io.waybill.processes.Effects;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The process of a consumer crashes at each step (N2, N8). */
@Execution(ExecutionMode.CONCURRENT) // the test mostly waits for the next consumer to join the group
class InboxCrashTest {
    private static final String GROUP = "ledger";
    private static final int KEYS = 6;
    private static final int EACH = 20;

    /** Handlers of negative numbers may fail: see {@link Effects#failing}. */
    @ParameterizedTest
    @EnumSource
    void theNextConsumerContinuesAfterACrash(Point point) throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            List<Event> events = new ArrayList<>();
            for (int n = 1; n <= EACH; n++) {
                for (int key = 1; key <= KEYS; key++) {
                    events.add(scenario.event("key-" + key, -n));
                }
            }
            scenario.publish(events);
            String crash = point + ":"
                    + (point.name().contains("DEAD") ? 2 : point.name().contains("RETRY") ? 3 : 7);
            ChildProcess doomed = start(scenario, List.of("-D" + InboxCrash.PROPERTY + "=" + crash));
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(InboxCrash.STATUS);

            scenario.execute("UPDATE inbox_held SET locked_until = NULL"); // expires the leases of its claims
            start(scenario, List.of());
            int hopeless = EACH / 9;
            scenario.awaitApplied(GROUP, (long) KEYS * (EACH - hopeless));
            await("all are given up on that must be")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> scenario.status(GROUP).deadLetters() == (long) KEYS * hopeless);

            List<Long> expected = new ArrayList<>();
            for (long n = 1; n <= EACH; n++) {
                if (n % 9 != 0) {
                    expected.add(-n);
                }
            }
            assertThat(scenario.ledgerOf(GROUP))
                    .hasSize(KEYS)
                    .allSatisfy((key, numbers) -> assertThat(numbers).as(key).containsExactlyElementsOf(expected));
            assertThat(scenario.number("SELECT count(*) FROM outbox_events"))
                    .as("messages on the dead-letter topic")
                    .isEqualTo((long) KEYS * hopeless);
        }
    }

    private static ChildProcess start(InboxScenario scenario, List<String> options) {
        ScenarioServers servers = scenario.servers();
        return scenario.track(ChildProcess.run(
                ConsumerProgram.class,
                options,
                servers.jdbcUrl(),
                servers.broker(),
                scenario.topic(),
                InboxScenario.TYPE,
                GROUP,
                "consumer",
                "1"));
    }
}

package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.Scenario;
import io.waybill.admin.OutboxStatus;
import io.waybill.faults.history.History;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Without a relay, the status shows the growing backlog (R16). */
@ParameterizedClass
@EnumSource(Engine.class)
class NoRelayTest {
    private final Engine engine;

    NoRelayTest(Engine engine) {
        this.engine = engine;
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits
    void withoutARelayTheStatusShowsTheBacklogAndItsAge() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("R16 no relay", engine);
                LargeTransaction events = LargeTransaction.begin(scenario, history)) {
            events.append("key-", 10, 2).commit();
            OutboxStatus first = scenario.status();
            assertThat(first.liveRelays()).isZero();
            assertThat(first.pending()).isEqualTo(20);
            assertThat(first.lanes()).allMatch(lane -> lane.owner().isEmpty());
            await("the oldest event grows older")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> scenario.status()
                                    .oldestAge()
                                    .compareTo(first.oldestAge().plusSeconds(1))
                            > 0);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits
    void aKilledRelayIsNotLiveAfterItsLease() {
        try (Scenario scenario = new Scenario("R16 relay killed", engine)) {
            ChildProcess relay = scenario.process("relay", Duration.ofSeconds(2), "");
            scenario.awaitOwner("relay", Scenario.LANES, Duration.ofMinutes(4));
            assertThat(scenario.status().liveRelays()).isEqualTo(1);
            relay.kill();
            await("no relay is live and no lane has an owner")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> scenario.status().liveRelays() == 0
                            && scenario.status().lanes().stream()
                                    .allMatch(lane -> lane.owner().isEmpty()));
        }
    }
}

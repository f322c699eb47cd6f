package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.Scenario;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A relay whose lanes were taken while it was frozen or cut off (R7). */
@ParameterizedClass
@EnumSource(Engine.class)
class ZombieRelayTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Leaves the machine to the processes that the test starts. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Engine engine;

    ZombieRelayTest(Engine engine) {
        this.engine = engine;
    }

    /** The relay freezes in the middle of a batch, so that its settlement is certainly late. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    @ValueSource(strings = {"BEFORE_SEND:4", "AFTER_ACK:120", "BEFORE_SETTLE_COMMIT:4"})
    void writesOfARelayThatContinuesAfterItsLeaseAreRejected(String point) {
        try (Scenario scenario = new Scenario("R7 zombie, " + point, engine);
                Workload writers = scenario.workload().pause(PAUSE).start()) {
            ChildProcess zombie = scenario.process("zombie", LEASE, "freeze:" + point);
            zombie.awaitFrozen();
            int inFlight = Scenario.mostInFlight(zombie);
            scenario.start(scenario.relay("heir", RelayCrashTest.LONG_LEASE));
            // an open transaction of the relay ends with its lease
            scenario.awaitOwner("heir", Scenario.LANES, PATIENCE);
            Scenario.awaitMore(writers, 200);
            zombie.resume();
            if (point.startsWith("BEFORE_SETTLE_COMMIT")) {
                // the database has ended the transaction; the relay may see this error or the lost lease first
                await("it knows")
                        .atMost(PATIENCE)
                        .until(() -> zombie.output().stream()
                                .anyMatch(said -> said.startsWith("lease lost") || said.startsWith("fence rejected")));
            } else {
                zombie.awaitOutput("fence rejected");
            }
            Scenario.awaitMore(writers, 200);
            writers.stop();
            scenario.awaitDrained();
            zombie.terminate();
            zombie.awaitExit();
            HistoryVerdict verdict = scenario.conclude(writers.history(), 0);
            assertThat(verdict.duplicates()).isBetween(0, inFlight);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    void anotherRelayTakesOverFromOneWithoutDatabaseAndItsLateSettlementIsRejected() {
        try (Scenario scenario = new Scenario("R7 cut off from the database", engine);
                Workload writers = scenario.workload().pause(PAUSE).start()) {
            new LostDatabase(scenario, LEASE)
                    .run(writers, SharedServers.postgres().port());
        }
    }
}

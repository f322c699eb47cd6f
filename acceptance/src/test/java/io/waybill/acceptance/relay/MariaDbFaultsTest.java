package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.acceptance.Scenario;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.embedded.LocalMariaDb;
import io.waybill.faults.crash.Crash;
import io.waybill.faults.crash.CrashPoint;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Crashed relays, a killed database and frozen relays (R1, R3, R7) on MariaDB, whose claims and locks differ. */
class MariaDbFaultsTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Leaves the machine to the processes that the test starts. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalMariaDb mariaDb;

    @BeforeAll
    static void start() {
        mariaDb = LocalMariaDb.start(folder);
    }

    @AfterAll
    static void stop() {
        mariaDb.close();
    }

    private static Scenario scenario(String name) {
        return new Scenario(name + " (MariaDB)", Engine.QUEUE, ScenarioServers.on(mariaDb));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IN_HAND_OVER")
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    void theNextRelayTakesOverAfterACrash(CrashPoint point) {
        try (Scenario scenario = scenario("R1 one relay, " + point);
                Workload writers = scenario.workload().pause(PAUSE).start()) {
            ChildProcess doomed = scenario.process("doomed", LEASE, RelayCrashTest.crash(point));
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Scenario.awaitMore(writers, 100);
            scenario.start(scenario.relay("heir", RelayCrashTest.LONG_LEASE));
            RelayCrashTest.conclude(scenario, writers, doomed, point);
        }
    }

    /** Uses its own server, because other tests run at the same time. */
    @Test
    void aDatabaseKilledUnderLoadLosesAndInventsNoEvents(@TempDir Path own) {
        int kills = 2;
        try (LocalMariaDb doomed = LocalMariaDb.start(own);
                Scenario scenario =
                        new Scenario("R3 database killed (MariaDB)", Engine.QUEUE, ScenarioServers.on(doomed));
                Workload writers = scenario.workload().pause(PAUSE).start()) {
            scenario.start(scenario.relay("relay", LEASE).batchSize(50));
            for (int i = 0; i < kills; i++) {
                Scenario.awaitMore(writers, 100);
                scenario.awaitMorePublished(200);
                doomed.kill();
                doomed.restart();
            }
            Scenario.awaitMore(writers, 100);
            writers.stop();
            scenario.awaitDrained();
            HistoryVerdict verdict = scenario.conclude(writers.history(), kills);
            assertThat(verdict.duplicates()).isBetween(0, kills * 2 * 50);
            assertThat(verdict.unkept()).isEmpty();
        }
    }

    /** The relay freezes in the middle of a batch. In the second case it freezes inside a transaction, which MariaDB then ends. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    @CsvSource({"AFTER_ACK:120, fence rejected", "BEFORE_SETTLE_COMMIT:4, lease lost"})
    void writesOfARelayThatContinuesAfterItsLeaseAreRejected(String point, String noticed) {
        try (Scenario scenario = scenario("R7 zombie, " + point);
                Workload writers = scenario.workload().pause(PAUSE).start()) {
            ChildProcess zombie = scenario.process("zombie", LEASE, "freeze:" + point);
            zombie.awaitFrozen();
            int inFlight = Scenario.mostInFlight(zombie);
            scenario.start(scenario.relay("heir", RelayCrashTest.LONG_LEASE));
            scenario.awaitOwner("heir", Scenario.LANES, PATIENCE);
            Scenario.awaitMore(writers, 200);
            zombie.resume();
            zombie.awaitOutput(noticed);
            Scenario.awaitMore(writers, 200);
            writers.stop();
            scenario.awaitDrained();
            zombie.terminate();
            zombie.awaitExit();
            assertThat(scenario.conclude(writers.history(), 0).duplicates()).isBetween(0, inFlight);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    void anotherRelayTakesOverFromOneWithoutDatabaseAndItsLateSettlementIsRejected() {
        try (Scenario scenario = scenario("R7 cut off from the database");
                Workload writers = scenario.workload().pause(PAUSE).start()) {
            new LostDatabase(scenario, LEASE).run(writers, mariaDb.port());
        }
    }
}

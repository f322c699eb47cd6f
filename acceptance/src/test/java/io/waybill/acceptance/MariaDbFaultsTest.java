package io.waybill.acceptance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.Outboxes;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.embedded.LocalMariaDb;
import io.waybill.jdbc.Engine;
import io.waybill.relay.RelayListener;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import io.waybill.testkit.crash.Crash;
import io.waybill.testkit.crash.CrashPoint;
import io.waybill.testkit.faults.TcpProxy;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The faults of R1, R3 and R7 in short, on MariaDB: what differs there is the claim, its locks and its mark. */
class MariaDbFaultsTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
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
        return new Scenario(name + " (MariaDB)", Engine.QUEUE, Servers.on(mariaDb));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IN_HAND_OVER")
    @Execution(ExecutionMode.CONCURRENT) // they mostly wait for a lease to run out
    void aRelayThatEndsIsSucceededByTheNext(CrashPoint point) {
        try (Scenario scenario = scenario("R1 one relay, " + point);
                Workload writers = scenario.workload().start()) {
            ChildProcess doomed = scenario.process("doomed", LEASE, RelayCrashTest.crash(point));
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Scenario.awaitMore(writers, 100);
            scenario.start(scenario.relay("heir", LEASE));
            RelayCrashTest.conclude(scenario, writers, point);
        }
    }

    /** On a server of its own: the other tests run at the same time. */
    @Test
    void aDatabaseThatIsKilledUnderLoadLosesAndInventsNothing(@TempDir Path own) {
        int kills = 2;
        try (LocalMariaDb doomed = LocalMariaDb.start(own);
                Scenario scenario = new Scenario("R3 database killed (MariaDB)", Engine.QUEUE, Servers.on(doomed));
                Workload writers = scenario.workload().start()) {
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

    /** It freezes itself in the middle of a batch; in the second case inside a transaction, which MariaDB then ends. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT) // they mostly wait for a lease to run out
    @CsvSource({"AFTER_ACK:120, fence rejected", "BEFORE_SETTLE_COMMIT:4, lease lost"})
    void aRelayThatWakesUpAfterItsLeaseChangesNothing(String point, String noticed) {
        try (Scenario scenario = scenario("R7 zombie, " + point);
                Workload writers = scenario.workload().start()) {
            ChildProcess zombie = scenario.process("zombie", LEASE, "freeze:" + point);
            zombie.awaitFrozen();
            scenario.start(scenario.relay("heir", LEASE));
            scenario.awaitOwner("heir", Scenario.LANES, PATIENCE);
            Scenario.awaitMore(writers, 200);
            zombie.resume();
            zombie.awaitOutput(noticed);
            Scenario.awaitMore(writers, 200);
            writers.stop();
            scenario.awaitDrained();
            zombie.terminate();
            zombie.awaitExit();
            assertThat(scenario.conclude(writers.history(), 0).duplicates()).isBetween(0, RelayProgram.BATCH_SIZE);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // they mostly wait for a lease to run out
    void aRelayThatIsCutOffFromTheDatabaseIsSucceededAndItsLateSettlementRefused() {
        AtomicReference<Lease> former = new AtomicReference<>();
        RelayListener counter = new RelayListener() {
            @Override
            public void fenceRejected(Lease lease) {
                former.set(lease);
            }

            @Override
            public void leaseLost(Lease lease) { // its heartbeat came before its late settlement
                former.set(lease);
            }
        };
        try (Scenario scenario = scenario("R7 cut off from the database");
                Workload writers = scenario.workload().start()) {
            TcpProxy proxy = scenario.using(TcpProxy.to(mariaDb.port()));
            HikariDataSource pool = scenario.using(
                    Outboxes.pool(scenario.jdbcUrl().replace(":" + mariaDb.port() + "/", ":" + proxy.port() + "/"), 6));
            scenario.start(Scenario.relay("cut", LEASE, scenario.store(pool), scenario.transport())
                    .batchSize(50)
                    .listener(counter));
            scenario.awaitPublished(300);
            proxy.cut();
            scenario.start(scenario.relay("heir", LEASE));
            scenario.awaitOwner("heir", Scenario.LANES, PATIENCE);
            Scenario.awaitMore(writers, 200);
            proxy.heal();
            scenario.awaitOwner("cut", Scenario.LANES / 2, PATIENCE);
            writers.stop();
            scenario.awaitDrained();
            HistoryVerdict verdict = scenario.conclude(writers.history(), 0);
            assertThat(verdict.duplicates()).isBetween(0, 2 * 50);
            await("it knows").atMost(PATIENCE).until(() -> former.get() != null);
            // whether it came to that or not: nothing is settled under a lease that was succeeded
            assertThatThrownBy(() -> scenario.store().advance(requireNonNull(former.get()), List.of(), 1))
                    .isInstanceOf(FencedException.class);
        }
    }
}

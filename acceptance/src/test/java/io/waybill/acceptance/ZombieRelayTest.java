package io.waybill.acceptance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.Outboxes;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.jdbc.Engine;
import io.waybill.relay.RelayListener;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import io.waybill.testkit.faults.TcpProxy;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Workload;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** R7: a relay that does not know that its lanes are another's. */
@ParameterizedClass
@EnumSource(Engine.class)
class ZombieRelayTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Engine engine;

    ZombieRelayTest(Engine engine) {
        this.engine = engine;
    }

    /** It freezes itself in the middle of a batch, so that its settlement is certain to come too late. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT) // they mostly wait for a lease to run out
    @ValueSource(strings = {"BEFORE_SEND:4", "AFTER_ACK:120", "BEFORE_SETTLE_COMMIT:4"})
    void aRelayThatWakesUpAfterItsLeaseChangesNothing(String point) {
        try (Scenario scenario = new Scenario("R7 zombie, " + point, engine);
                Workload writers = scenario.workload().start()) {
            ChildProcess zombie = scenario.process("zombie", LEASE, "freeze:" + point);
            zombie.awaitFrozen();
            scenario.start(scenario.relay("heir", LEASE));
            // its open transaction, if there is one, ends with its lease
            scenario.awaitOwner("heir", Scenario.LANES, PATIENCE);
            Scenario.awaitMore(writers, 200);
            zombie.resume();
            if (point.startsWith("BEFORE_SETTLE_COMMIT")) {
                // the database has ended its settlement; what it hears first is a matter of luck
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
            assertThat(verdict.duplicates()).isBetween(0, RelayProgram.BATCH_SIZE);
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
        try (Scenario scenario = new Scenario("R7 cut off from the database", engine);
                Workload writers = scenario.workload().start()) {
            int port = SharedServers.postgres().port();
            TcpProxy proxy = scenario.using(TcpProxy.to(port));
            HikariDataSource pool = scenario.using(
                    Outboxes.pool(scenario.jdbcUrl().replace(":" + port + "/", ":" + proxy.port() + "/"), 6));
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

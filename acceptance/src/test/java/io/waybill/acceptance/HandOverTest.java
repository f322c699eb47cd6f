package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.Outboxes;
import io.waybill.jdbc.Engine;
import io.waybill.relay.Relay;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.history.Workload;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** R9 and R15: relays that stop in order hand their lanes over at once and cause no duplicates. */
@ParameterizedClass
@EnumSource(Engine.class)
class HandOverTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Engine engine;

    HandOverTest(Engine engine) {
        this.engine = engine;
    }

    @Test
    void sigtermUnderLoadHandsLanesOverAtOnce() {
        try (Scenario scenario = new Scenario("R15 SIGTERM under load", engine);
                Workload writers = scenario.workload().start()) {
            ChildProcess leaving = scenario.process("leaving", LEASE, "");
            scenario.awaitOwner("leaving", Scenario.LANES, Duration.ofSeconds(30));
            scenario.start(scenario.relay("staying", LEASE));
            scenario.awaitOwner("staying", Scenario.LANES / 2, Duration.ofSeconds(10));
            Scenario.awaitMore(writers, 300);
            leaving.terminate();
            scenario.awaitOwner("staying", Scenario.LANES, Duration.ofSeconds(4));
            assertThat(leaving.awaitExit()).isEqualTo(128 + 15);
            assertThat(leaving.output()).endsWith("stopped");
            Scenario.awaitMore(writers, 300);
            writers.stop();
            scenario.awaitDrained();
            assertThat(scenario.conclude(writers.history(), 0).duplicates()).isZero();
        }
    }

    @Test
    void relaysThatComeAndGoKeepOrderAndRepeatNothing() {
        try (Scenario scenario = new Scenario("R9 relays come and go", engine);
                Workload writers = scenario.workload().start()) {
            Transport transport = scenario.transport();
            Deque<Relay> running = new ArrayDeque<>();
            for (int i = 0; i < 15; i++) {
                running.add(scenario.start(Scenario.relay("relay-" + i, LEASE, scenario.store(), transport)
                        .batchSize(50)));
                Scenario.awaitMore(writers, 150);
                if (running.size() > 2) {
                    running.remove().close();
                    Scenario.awaitMore(writers, 150);
                }
            }
            writers.stop();
            scenario.awaitDrained();
            assertThat(scenario.conclude(writers.history(), 0).duplicates()).isZero();
        }
    }

    /** R14: workers, keeper, poller and janitor take turns on what there is. */
    @Test
    void aPoolOfOneConnectionIsEnough() {
        try (Scenario scenario = new Scenario("R14 a pool of one connection", engine);
                HikariDataSource one = Outboxes.pool(scenario.jdbcUrl(), 1);
                Workload writers = scenario.workload().events(1_000).start()) {
            OutboxStore store = scenario.store(one);
            Relay relay = Scenario.relay("relay", LEASE, store, scenario.transport())
                    .workers(8)
                    .build();
            relay.start();
            writers.await();
            scenario.awaitDrained();
            relay.close();
            assertThat(scenario.conclude(writers.history(), 0).duplicates()).isZero();
        }
    }
}

package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.acceptance.Scenario;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.Outboxes;
import io.waybill.relay.Relay;
import io.waybill.store.OutboxStore;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Relays that stop cleanly hand over their lanes at once and cause no duplicates (R9, R15). */
@ParameterizedClass
@EnumSource(Engine.class)
@Execution(ExecutionMode.CONCURRENT) // both engines at once
class HandOverTest {
    private static final Duration LEASE = Duration.ofMinutes(5);

    /** Far below the lease, so that only a hand-over can be in time. */
    private static final Duration AT_ONCE = Duration.ofMinutes(2);

    private final Engine engine;

    HandOverTest(Engine engine) {
        this.engine = engine;
    }

    @Test
    void sigtermUnderLoadHandsLanesOverAtOnce() {
        try (Scenario scenario = new Scenario("R15 SIGTERM under load", engine);
                Workload writers = scenario.workload().start()) {
            ChildProcess leaving = scenario.process("leaving", LEASE, "");
            scenario.awaitOwner("leaving", Scenario.LANES, AT_ONCE);
            scenario.start(scenario.relay("staying", LEASE));
            scenario.awaitOwner("staying", Scenario.LANES / 2, AT_ONCE);
            Scenario.awaitMore(writers, 300);
            leaving.terminate();
            scenario.awaitOwner("staying", Scenario.LANES, AT_ONCE);
            assertThat(leaving.awaitExit()).isEqualTo(128 + 15);
            assertThat(leaving.output()).endsWith("stopped");
            Scenario.awaitMore(writers, 300);
            writers.stop();
            scenario.awaitDrained();
            assertThat(scenario.conclude(writers.history(), 0).duplicates()).isZero();
        }
    }

    @Test
    void relaysThatStartAndStopKeepOrderWithoutDuplicates() {
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

    /** All threads of the relay share one connection (R14). */
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

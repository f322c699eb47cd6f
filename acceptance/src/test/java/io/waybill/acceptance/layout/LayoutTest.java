package io.waybill.acceptance.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.RejectingTransport;
import io.waybill.acceptance.Scenario;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.acceptance.relay.RelayCrashTest;
import io.waybill.admin.DeadLetters;
import io.waybill.embedded.LocalPostgres;
import io.waybill.faults.crash.Crash;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.History;
import io.waybill.faults.history.Workload;
import io.waybill.faults.history.Written;
import io.waybill.jdbc.layout.Layout;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.RelayProgram;
import io.waybill.transport.Failure;
import io.waybill.transport.Transport;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that are not Waybill's own, with a short set of faults on each (R18). */
class LayoutTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    /**
     * One relay crashes while it settles, another one freezes in the middle of a batch (R1, R2, R7). Two others continue, and
     * the late settlement of the frozen relay must not change the table.
     */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    void otherRelaysTakeOverFromCrashedAndFrozenOnes(ForeignTable seed) {
        try (LayoutScenario scenario = new LayoutScenario("R18 killed and frozen", seed, ScenarioServers.shared());
                Workload writers = scenario.workload()
                        .writers(2)
                        .pause(Duration.ofMillis(8))
                        .start()) {
            ChildProcess zombie = scenario.process("zombie", LEASE, "freeze:AFTER_ACK:120");
            ChildProcess doomed = scenario.process("doomed", LEASE, "BEFORE_SETTLE_COMMIT:4");
            zombie.awaitFrozen();
            int inFlight = Scenario.mostInFlight(zombie);
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Transport kafka = scenario.kafka();
            scenario.start(scenario.relay("heir-1", RelayCrashTest.LONG_LEASE, kafka));
            scenario.start(scenario.relay("heir-2", RelayCrashTest.LONG_LEASE, kafka));
            scenario.awaitOwner("heir-1", Scenario.LANES / 2);
            scenario.awaitOwner("heir-2", Scenario.LANES / 2);
            Scenario.awaitMore(writers, 100);
            zombie.resume();
            zombie.awaitOutput("fence rejected");
            writers.stop();
            scenario.awaitDrained(writers.history());
            zombie.terminate();
            zombie.awaitExit();
            assertThat(scenario.conclude(writers.history(), 1).duplicates())
                    .isBetween(1, inFlight + Scenario.mostInFlight(doomed));
        }
    }

    /** All tables are on one server, which is killed while writers commit asynchronously (R3, R4). */
    @Test
    void aDatabaseKilledUnderLoadLosesAndInventsNoEvents(@TempDir Path folder) {
        try (LocalPostgres postgres = LocalPostgres.builder(folder)
                .setting("wal_writer_delay", "10s")
                .setting("max_connections", "150")
                .start()) {
            List<LayoutScenario> scenarios = new ArrayList<>();
            List<Workload> writers = new ArrayList<>();
            for (ForeignTable seed : ForeignTable.values()) {
                LayoutScenario scenario = new LayoutScenario("R18 database killed", seed, ScenarioServers.on(postgres));
                scenarios.add(scenario);
                scenario.start(scenario.relay("relay", LEASE, scenario.kafka()));
                writers.add(scenario.workload()
                        .writers(2)
                        .pause(Duration.ofMillis(10))
                        .synchronousCommit(false)
                        .start());
            }
            writers.forEach(one -> Scenario.awaitMore(one, 30));
            postgres.kill();
            postgres.restart();
            writers.forEach(one -> Scenario.awaitMore(one, 30));
            writers.forEach(Workload::stop);
            for (int i = 0; i < scenarios.size(); i++) {
                History history = writers.get(i).history();
                scenarios.get(i).awaitDrained(history);
                assertThat(scenarios.get(i).conclude(history, 1).duplicates())
                        .isBetween(0, 2 * RelayProgram.BATCH_SIZE);
            }
            scenarios.forEach(LayoutScenario::close);
        }
    }

    /** An undeliverable event is a dead letter in the table, its key continues, and both ways to replay it work (R10). */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void anUndeliverableEventIsADeadLetterUntilItIsReplayed(ForeignTable seed) throws SQLException {
        ScenarioServers servers = ScenarioServers.shared();
        try (LayoutScenario scenario = new LayoutScenario("R18 poison", seed, servers)) {
            Written before = write(scenario, seed, servers, 1);
            Written poison = write(scenario, seed, servers, 2);
            Written other = write(scenario, seed, servers, 3);
            Written after = write(scenario, seed, servers, 4);
            Set<UUID> refused = ConcurrentHashMap.newKeySet();
            refused.addAll(List.of(poison.id(), other.id()));
            Transport picky = new RejectingTransport(
                    scenario.kafka(),
                    new ConcurrentHashMap<>(),
                    message -> refused.contains(message.id())
                            ? Optional.of(Failure.permanent("The broker rejects this event, with a long explanation."))
                            : Optional.empty());
            scenario.start(scenario.relay("relay", LEASE, picky));
            await("both are dead letters").atMost(PATIENCE).until(() -> scenario.ids(seed.dead()), refused::equals);
            await("the key goes on")
                    .atMost(PATIENCE)
                    .until(() -> payloads(scenario), List.of(before.payload(), after.payload())::equals);

            refused.clear();
            scenario.outbox()
                    .deadLetters()
                    .replay(List.of(poison.id()), new DeadLetters.Decision("a test", "it is taken now"));
            if (seed == ForeignTable.DEBEZIUM) {
                scenario.outbox()
                        .deadLetters()
                        .replay(List.of(other.id()), new DeadLetters.Decision("a test", "it is taken now"));
            } else {
                scenario.execute(seed.reset(other));
            }
            await("both are published")
                    .atMost(PATIENCE)
                    .until(() -> payloads(scenario).size() == 4);
            await("no dead letter is left").atMost(PATIENCE).until(() -> scenario.ids(seed.dead()), Set::isEmpty);
            assertThat(payloads(scenario)).contains(poison.payload(), other.payload());
            assertThat(scenario.outbox().view().event(poison.id())).isEmpty();
            if (seed != ForeignTable.DEBEZIUM) { // its rows are deleted, so there is no state to compare
                assertThat(scenario.ids(seed.published())).contains(before.id(), poison.id(), other.id(), after.id());
            }
            assertThat(scenario.outbox().view().status().deadLetters()).isZero();
        }
    }

    /** A seeded bug: rows are read in the order of their random ids. */
    @Test
    void aLayoutWithAWrongOrderIsFound() {
        Layout wrong = Layout.parse(
                "wrong", Layout.text("claimed-status", Path.of("")).replaceFirst("order +=.*", "order = event_id"));
        try (LayoutScenario scenario = new LayoutScenario(
                "seeded: WRONG_ORDER", ForeignTable.CLAIMED_STATUS, wrong, ScenarioServers.shared())) {
            Workload writers = scenario.workload().events(300).start();
            writers.await();
            scenario.start(scenario.relay("relay", LEASE, scenario.kafka()));
            scenario.awaitDrained(writers.history());
            assertThat(scenario.judge(writers.history(), 0).misordered()).isNotEmpty();
        }
    }

    private static Written write(LayoutScenario scenario, ForeignTable seed, ScenarioServers servers, int n)
            throws SQLException {
        Written event = Written.of(scenario.type(), "key-1", n, "poison", Map.of());
        try (Connection connection = DriverManager.getConnection(servers.jdbcUrl())) {
            seed.append().append(connection, event, Instant.now());
        }
        return event;
    }

    private static List<String> payloads(LayoutScenario scenario) {
        return scenario.delivered().stream().map(Delivered::payload).toList();
    }

    /** Consumers see the same message as with Debezium's event router: topic, key, one header and the plain payload. */
    @Test
    void consumersOfDebeziumReceiveTheSameMessages() throws SQLException {
        ScenarioServers servers = ScenarioServers.shared();
        try (LayoutScenario scenario = new LayoutScenario("R18 on the wire", ForeignTable.DEBEZIUM, servers)) {
            Written event = write(scenario, ForeignTable.DEBEZIUM, servers, 1);
            scenario.start(scenario.relay("relay", LEASE, scenario.kafka()));
            await("it is published")
                    .atMost(PATIENCE)
                    .until(() -> !scenario.delivered().isEmpty());
            Delivered found = scenario.delivered().get(0);
            assertThat(found.headers()).isEqualTo(Map.of("id", event.id().toString()));
            assertThat(found.key()).isEqualTo("key-1");
            assertThat(found.payload()).isEqualTo(event.payload());
            assertThat(scenario.outbox().view().event(event.id()))
                    .as("published events in Waybill's tables")
                    .isEmpty();
        }
    }
}

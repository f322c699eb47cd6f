package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.admin.DeadLetters;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.embedded.LocalPostgres;
import io.waybill.jdbc.layout.Layout;
import io.waybill.testkit.crash.Crash;
import io.waybill.testkit.history.Delivered;
import io.waybill.testkit.history.History;
import io.waybill.testkit.history.Workload;
import io.waybill.testkit.history.Written;
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

/** R18: every table of the systems before Waybill, and the short set of faults on each. */
class LayoutTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    /**
     * R1, R2 and R7: one relay ends while it settles, the one beside it freezes in the middle of a batch. Two others go on, and
     * the late settlement of the frozen one must not reach the table.
     */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT) // they mostly wait for a lease to run out
    void relaysThatEndOrFreezeAreSucceeded(SeedTable seed) {
        try (LayoutScenario scenario = new LayoutScenario("R18 killed and frozen", seed, Servers.shared());
                Workload writers = scenario.workload()
                        .writers(2)
                        .pause(Duration.ofMillis(8))
                        .start()) {
            ChildProcess zombie = scenario.process("zombie", LEASE, "freeze:AFTER_ACK:120");
            ChildProcess doomed = scenario.process("doomed", LEASE, "BEFORE_SETTLE_COMMIT:4");
            zombie.awaitFrozen();
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Transport kafka = scenario.kafka();
            scenario.start(scenario.relay("heir-1", LEASE, kafka));
            scenario.start(scenario.relay("heir-2", LEASE, kafka));
            scenario.awaitOwner("heir-1", Scenario.LANES / 2);
            scenario.awaitOwner("heir-2", Scenario.LANES / 2);
            Scenario.awaitMore(writers, 100);
            zombie.resume();
            zombie.awaitOutput("fence rejected");
            writers.stop();
            scenario.awaitDrained(writers.history());
            zombie.terminate();
            zombie.awaitExit();
            assertThat(scenario.conclude(writers.history(), 1).duplicates()).isBetween(1, 2 * RelayProgram.BATCH_SIZE);
        }
    }

    /** R3 and R4: all of them in one server that is killed, under writers who do not wait for their commits. */
    @Test
    void aDatabaseThatIsKilledUnderLoadLosesAndInventsNothing(@TempDir Path folder) {
        try (LocalPostgres postgres = LocalPostgres.builder(folder)
                .setting("wal_writer_delay", "10s")
                .setting("max_connections", "150")
                .start()) {
            List<LayoutScenario> scenarios = new ArrayList<>();
            List<Workload> writers = new ArrayList<>();
            for (SeedTable seed : SeedTable.values()) {
                LayoutScenario scenario = new LayoutScenario("R18 database killed", seed, Servers.on(postgres));
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

    /** R10: what no broker takes is shown in the table, its key goes on, and either way of replaying it works. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void aPoisonousEventIsADeadLetterUntilItIsReplayed(SeedTable seed) throws SQLException {
        Servers servers = Servers.shared();
        try (LayoutScenario scenario = new LayoutScenario("R18 poison", seed, servers)) {
            Written before = write(scenario, seed, servers, 1);
            Written poison = write(scenario, seed, servers, 2);
            Written other = write(scenario, seed, servers, 3);
            Written after = write(scenario, seed, servers, 4);
            Set<UUID> refused = ConcurrentHashMap.newKeySet();
            refused.addAll(List.of(poison.id(), other.id()));
            Transport picky = new PickyTransport(
                    scenario.kafka(),
                    new ConcurrentHashMap<>(),
                    message -> refused.contains(message.id())
                            ? Optional.of(Failure.permanent("Nobody takes this, and for many words."))
                            : Optional.empty());
            scenario.start(scenario.relay("relay", LEASE, picky));
            await("both are dead letters").until(() -> scenario.ids(seed.dead()), refused::equals);
            await("the key goes on")
                    .until(() -> payloads(scenario), List.of(before.payload(), after.payload())::equals);

            refused.clear();
            scenario.outbox()
                    .deadLetters()
                    .replay(List.of(poison.id()), new DeadLetters.Decision("a test", "it is taken now"));
            if (seed == SeedTable.DEBEZIUM) {
                scenario.outbox()
                        .deadLetters()
                        .replay(List.of(other.id()), new DeadLetters.Decision("a test", "it is taken now"));
            } else {
                scenario.execute(seed.reset(other));
            }
            await("both are published").until(() -> payloads(scenario).size() == 4);
            await("and nothing is left").until(() -> scenario.ids(seed.dead()), Set::isEmpty);
            assertThat(payloads(scenario)).contains(poison.payload(), other.payload());
            assertThat(scenario.outbox().view().event(poison.id())).isEmpty();
            if (seed != SeedTable.DEBEZIUM) { // which has no ledger here to compare with
                assertThat(scenario.ids(seed.published())).contains(before.id(), poison.id(), other.id(), after.id());
            }
            assertThat(scenario.outbox().view().status().deadLetters()).isZero();
        }
    }

    /** A seeded bug: rows that are read in the order of their random ids. */
    @Test
    void aLayoutWithAWrongOrderIsFound() {
        Layout wrong = Layout.parse(
                "wrong", Layout.text("claimed-status", Path.of("")).replaceFirst("order +=.*", "order = event_id"));
        try (LayoutScenario scenario =
                new LayoutScenario("seeded: WRONG_ORDER", SeedTable.CLAIMED_STATUS, wrong, Servers.shared())) {
            Workload writers = scenario.workload().events(300).start();
            writers.await();
            scenario.start(scenario.relay("relay", LEASE, scenario.kafka()));
            scenario.awaitDrained(writers.history());
            assertThat(scenario.judge(writers.history(), 0).misordered()).isNotEmpty();
        }
    }

    private static Written write(LayoutScenario scenario, SeedTable seed, Servers servers, int n) throws SQLException {
        Written event = Written.of(scenario.type(), "key-1", n, "poison", Map.of());
        try (Connection connection = DriverManager.getConnection(servers.jdbcUrl())) {
            seed.append().append(connection, event, Instant.now());
        }
        return event;
    }

    private static List<String> payloads(LayoutScenario scenario) {
        return scenario.delivered().stream().map(Delivered::payload).toList();
    }

    /** What consumers of Debezium's event router see: its topic, its key, one header, the payload and nothing around it. */
    @Test
    void consumersOfDebeziumDoNotNoticeTheChange() throws SQLException {
        Servers servers = Servers.shared();
        try (LayoutScenario scenario = new LayoutScenario("R18 on the wire", SeedTable.DEBEZIUM, servers)) {
            Written event = write(scenario, SeedTable.DEBEZIUM, servers, 1);
            scenario.start(scenario.relay("relay", LEASE, scenario.kafka()));
            await("it is published").until(() -> !scenario.delivered().isEmpty());
            Delivered found = scenario.delivered().get(0);
            assertThat(found.headers()).isEqualTo(Map.of("id", event.id().toString()));
            assertThat(found.key()).isEqualTo("key-1");
            assertThat(found.payload()).isEqualTo(event.payload());
            assertThat(scenario.outbox().view().event(event.id()))
                    .as("published events leave Waybill's tables")
                    .isEmpty();
        }
    }
}

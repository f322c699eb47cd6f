package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.LogLines;
import io.waybill.acceptance.RejectingTransport;
import io.waybill.acceptance.Scenario;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.embedded.FreePort;
import io.waybill.embedded.LocalKafka;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.retry.RetryPolicy;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The broker dies or freezes, or its answers are lost, while writers continue (R5, R6, R17). */
class BrokerOutageTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(3);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static TcpProxy proxy;

    @SuppressWarnings("NullAway.Init")
    private static LocalKafka kafka;

    @BeforeAll
    static void start() {
        int port = FreePort.find();
        proxy = TcpProxy.to(port);
        kafka = LocalKafka.builder(folder)
                .port(port)
                .advertisedPort(proxy.port())
                .start();
    }

    @AfterAll
    static void stop() {
        kafka.close();
        proxy.close();
    }

    private static Scenario scenario(String name, Engine engine) {
        ScenarioServers servers = ScenarioServers.on("127.0.0.1:" + proxy.port());
        Scenario scenario = new Scenario(name, engine, servers);
        servers.createTopic(scenario.topic());
        return scenario;
    }

    private static Workload writers(Scenario scenario) {
        return scenario.workload().pause(Duration.ofMillis(20)).start();
    }

    /** Waits until the oldest unpublished event has this age. */
    private static void awaitBacklog(Scenario scenario, Duration age) {
        await("events wait for " + age)
                .atMost(Duration.ofMinutes(4))
                .until(() -> scenario.status().oldestAge().compareTo(age) > 0);
    }

    private static void conclude(Scenario scenario, Workload writers, int kills) {
        Scenario.awaitMore(writers, 100);
        writers.stop();
        scenario.awaitDrained();
        scenario.conclude(writers.history(), kills);
        assertThat(blamed(scenario)).as("events with a counted attempt").isEmpty();
    }

    /** Returns the errors of published events with a counted failure. */
    private static List<@Nullable String> blamed(Scenario scenario) {
        return scenario.view().events(EventFilter.ALL.state(EventState.PUBLISHED), 10_000).stream()
                .filter(event -> event.retryCount() > 0)
                .<@Nullable String>map(EventRecord::lastError)
                .toList();
    }

    /** Breaks the broker while both scenarios run. */
    private interface Outage {
        void strike(List<Scenario> scenarios);
    }

    /** Runs both engines side by side with the same outage, which takes no longer than one engine. */
    private static void suffer(String name, int kills, Outage outage) {
        try (Scenario journal = scenario(name, Engine.JOURNAL);
                Scenario queue = scenario(name, Engine.QUEUE);
                Workload journalWriters = writers(journal);
                Workload queueWriters = writers(queue)) {
            List<Scenario> both = List.of(journal, queue);
            both.forEach(scenario ->
                    scenario.start(Scenario.relay("relay", LEASE, scenario.store(), scenario.transport(SEND_TIMEOUT))));
            both.forEach(scenario -> scenario.awaitPublished(100));
            outage.strike(both);
            conclude(journal, journalWriters, kills);
            conclude(queue, queueWriters, kills);
        }
    }

    @Test
    void aBrokerOutageCostsNoEventsAndNoAttempts() {
        try (LogLines log = LogLines.listen()) {
            suffer("R5 broker down for 15 s", 1, both -> {
                kafka.kill();
                both.forEach(scenario -> awaitBacklog(scenario, Duration.ofSeconds(15)));
                kafka.restart();
            });
            assertThat(log.warnings()).hasSizeLessThan(2 * 10);
        }
    }

    @Test
    void aFrozenBrokerLosesNoEvents() {
        suffer("R6 broker frozen", 0, both -> {
            kafka.suspend();
            try {
                both.forEach(scenario -> awaitBacklog(scenario, SEND_TIMEOUT.multipliedBy(2)));
            } finally {
                kafka.resume();
            }
        });
    }

    @Test
    void lostAcknowledgementsCauseOnlyDuplicates() {
        suffer("R6 acknowledgements lost", 0, both -> {
            proxy.dropToClient();
            try {
                both.forEach(scenario -> awaitBacklog(scenario, SEND_TIMEOUT.multipliedBy(2)));
            } finally {
                proxy.heal();
            }
        });
    }

    @Test
    void fiveRelaysMakeAsManyAttemptsAsOne() {
        String name = "R17 five relays after an outage";
        try (FiveRelays journal = new FiveRelays(scenario(name, Engine.JOURNAL));
                FiveRelays queue = new FiveRelays(scenario(name, Engine.QUEUE))) {
            List<FiveRelays> both = List.of(journal, queue);
            both.forEach(five -> five.scenario.awaitPublished(100));
            kafka.kill();
            both.forEach(five -> awaitBacklog(five.scenario, Duration.ofSeconds(5)));
            kafka.restart();
            both.forEach(FiveRelays::conclude);
        }
    }

    /** Five relays of one outbox, and the number of times that they sent each event. */
    private static final class FiveRelays implements AutoCloseable {
        private final RetryPolicy policy = new RetryPolicy(4, Duration.ofMillis(50), Duration.ofMillis(200));
        private final Map<UUID, Integer> sends = new ConcurrentHashMap<>();
        private final Scenario scenario;
        private final Workload writers;

        FiveRelays(Scenario scenario) {
            this.scenario = scenario;
            this.writers = writers(scenario);
            for (int i = 1; i <= 5; i++) {
                Transport transport = new RejectingTransport(
                        scenario.transport(SEND_TIMEOUT), sends, BrokerOutageTest::refuseTheFirst);
                scenario.start(Scenario.relay("relay-" + i, LEASE, scenario.store(), transport)
                        .retry(policy));
            }
        }

        void conclude() {
            Scenario.awaitMore(writers, 100);
            writers.stop();
            scenario.awaitDrained();
            HistoryVerdict verdict = scenario.conclude(writers.history(), 1);
            assertThat(verdict.deadLetters()).isPositive();
            assertThat(scenario.number("SELECT count(*) FROM outbox_states WHERE state = 'DEAD_LETTER'"
                            + " AND retry_count <> " + policy.maxAttempts()))
                    .isZero();
            assertThat(blamed(scenario)).isEmpty();
            int most = sends.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            assertThat(most).as("largest number of sends of one event").isLessThanOrEqualTo(policy.maxAttempts() + 1);
        }

        @Override
        public void close() {
            writers.close();
            scenario.close();
        }
    }

    /** The first event of each key always fails. All others succeed. */
    private static Optional<Failure> refuseTheFirst(Message message) {
        boolean first = new String(message.value(), StandardCharsets.UTF_8).contains("\"n\":1,");
        return first ? Optional.of(Failure.transientFailure("refused by the test")) : Optional.empty();
    }
}

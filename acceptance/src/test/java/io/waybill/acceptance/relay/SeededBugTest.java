package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.waybill.acceptance.RejectingTransport;
import io.waybill.acceptance.Scenario;
import io.waybill.faults.history.History;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.processes.TransportBug;
import io.waybill.relay.Relay;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.OutboxStore;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Shows that the scenarios can fail: each seeded bug of a relay or a store is found. */
@ParameterizedClass
@EnumSource(Engine.class)
class SeededBugTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final RetryPolicy SOON = new RetryPolicy(4, Duration.ofMillis(50), Duration.ofMillis(100));

    private final Engine engine;

    SeededBugTest(Engine engine) {
        this.engine = engine;
    }

    /** Two owners of one lane log many warnings. */
    @BeforeAll
    static void muteTheRelay() {
        ((Logger) LoggerFactory.getLogger(Relay.class)).setLevel(Level.OFF);
    }

    @AfterAll
    static void unmuteTheRelay() {
        ((Logger) LoggerFactory.getLogger(Relay.class)).setLevel(null);
    }

    @Test
    void withoutABugTheSameRunHasNoViolation() throws Exception {
        HistoryVerdict verdict = flakyRun(TransportBug.NONE);
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.duplicates()).isZero();
    }

    @Test
    void settlingBeforeTheAcknowledgementIsFound() throws Exception {
        assertThat(flakyRun(TransportBug.SETTLE_BEFORE_ACK).lost()).isNotEmpty();
    }

    @Test
    void acknowledgingBeforeSendingIsFound() throws Exception {
        assertThat(flakyRun(TransportBug.ACK_BEFORE_SEND).lost()).isNotEmpty();
    }

    @Test
    void skippingAFailedHeadIsFound() throws Exception {
        HistoryVerdict verdict = flakyRun(TransportBug.SKIP_A_FAILED_HEAD);
        assertThat(verdict.misordered()).isNotEmpty();
    }

    /** Sends 600 events through a transport that rejects some of them at first. */
    private HistoryVerdict flakyRun(TransportBug bug) throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("seeded: " + bug, engine)) {
            try (LargeTransaction events = LargeTransaction.begin(scenario, history)) {
                events.append("key-", 30, 20).commit();
            }
            Map<UUID, Integer> sends = new ConcurrentHashMap<>();
            Transport kafka = scenario.transport();
            Transport flaky = new RejectingTransport(
                    kafka,
                    sends,
                    message -> sends.getOrDefault(message.id(), 0) == 1
                                    && message.id().hashCode() % 16 == 0
                            ? Optional.of(Failure.transientFailure("refused by the test, once"))
                            : Optional.empty());
            Relay relay = scenario.start(Scenario.relay("relay", LEASE, scenario.store(), bug.in(flaky))
                    .retry(SOON));
            scenario.awaitDrained();
            relay.close();
            kafka.close(); // flushes messages in flight
            return scenario.judge(history, 0);
        }
    }

    @Test
    void orderByTimeIsFound() {
        try (Scenario scenario = new Scenario("seeded: ORDER_BY_TIME", engine)) {
            // writers read the clock before they wait for the lock of a key
            Workload writers =
                    scenario.workload().keys(2).pause(Duration.ZERO).events(400).start();
            writers.await();
            OutboxStore buggy = BuggyStores.orderByTime(scenario.store());
            scenario.start(Scenario.relay("relay", LEASE, buggy, scenario.transport()));
            scenario.awaitDrained();
            assertThat(scenario.judge(writers.history(), 0).misordered()).isNotEmpty();
        }
    }

    @Test
    void orderByTransactionIsFound() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("seeded: ORDER_BY_TRANSACTION", engine);
                LargeTransaction older =
                        LargeTransaction.begin(scenario, history).number();
                LargeTransaction newer =
                        LargeTransaction.begin(scenario, history).number()) {
            newer.append("key-", 10, 2).commit();
            older.append("key-", 10, 2).commit();
            OutboxStore buggy = BuggyStores.orderByTransaction(scenario.store(), scenario);
            scenario.start(Scenario.relay("relay", LEASE, buggy, scenario.transport()));
            scenario.awaitDrained();
            assertThat(scenario.judge(history, 0).misordered()).isNotEmpty();
        }
    }

    @Test
    void readingAboveTheLastPositionIsFound() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("seeded: READ_ABOVE_LAST", engine);
                LargeTransaction longest =
                        LargeTransaction.begin(scenario, history).append("long-", 20, 1);
                LargeTransaction shorter = LargeTransaction.begin(scenario, history)) {
            OutboxStore buggy = BuggyStores.readAboveLast(scenario.store());
            scenario.start(Scenario.relay("relay", LEASE, buggy, scenario.transport()));
            shorter.append("key-", 30, 2).commit();
            scenario.awaitPublished(60);
            longest.commit();
            scenario.awaitDrained();
            assertThat(scenario.judge(history, 0).lost()).isNotEmpty();
        }
    }

    @Test
    void retryingWithoutCountingIsFound() throws Exception {
        Map<UUID, Integer> sends = new ConcurrentHashMap<>();
        try (Scenario scenario = new Scenario("seeded: RETRY_WITHOUT_COUNTING", engine);
                LargeTransaction events = LargeTransaction.begin(scenario, new History())) {
            events.append("key-", 1, 1).commit();
            OutboxStore buggy = BuggyStores.retryWithoutCounting(scenario.store());
            Transport refusing = new RejectingTransport(scenario.transport(), sends, SeededBugTest::refused);
            scenario.start(Scenario.relay("relay", LEASE, buggy, refusing).retry(SOON));
            await("more attempts than the policy allows, which R17 counts")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> sends.values().stream().anyMatch(n -> n > SOON.maxAttempts() + 1));
        }
    }

    private static Optional<Failure> refused(Message message) {
        return Optional.of(Failure.transientFailure("refused by the test: " + message));
    }

    @Test
    void aSettlementWithoutFenceIsFound() {
        int batch = 20;
        try (Scenario scenario = new Scenario("seeded: NO_FENCE", engine);
                Workload writers = scenario.workload().start()) {
            OutboxStore buggy = BuggyStores.noFence(scenario.store(), scenario);
            scenario.start(
                    Scenario.relay("zombie", LEASE, buggy, scenario.transport()).batchSize(batch));
            scenario.awaitPublished(100);
            scenario.start(scenario.relay("heir", LEASE).batchSize(batch));
            scenario.awaitOwner("heir", Scenario.LANES, Duration.ofMinutes(4));
            Scenario.awaitMore(writers, 1_000);
            writers.stop();
            scenario.awaitDrained();
            HistoryVerdict verdict = scenario.judge(writers.history(), 0);
            assertThat(verdict.duplicates() > 2 * batch || !verdict.violations().isEmpty())
                    .as(
                            "more duplicates than a frozen relay may cause (R7), or another violation: %s",
                            verdict.numbers())
                    .isTrue();
        }
    }
}

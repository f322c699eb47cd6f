package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.Scenario;
import io.waybill.faults.history.History;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Long and large transactions (R12). */
@ParameterizedClass
@EnumSource(Engine.class)
class TransactionsTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final List<Integer> LANES =
            IntStream.range(0, Scenario.LANES).boxed().toList();

    private final Engine engine;

    TransactionsTest(Engine engine) {
        this.engine = engine;
    }

    @Test
    void aLongTransactionDelaysOnlyItsOwnKeys() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("R12 a long transaction", engine);
                LargeTransaction longest =
                        LargeTransaction.begin(scenario, history).append("long-", 5, 3)) {
            scenario.start(scenario.relay("relay", LEASE));
            for (int i = 0; i < 5; i++) {
                try (LargeTransaction shorter = LargeTransaction.begin(scenario, history)) {
                    shorter.append("key-", 20, 2).commit();
                }
            }
            scenario.awaitPublished(200);
            longest.append("long-", 5, 2).commit();
            scenario.awaitDrained();
            assertThat(scenario.conclude(history, 0).duplicates()).isZero();
        }
    }

    @Test
    void aTransactionOfFiftyThousandEventsIsPublishedCompletelyOrNotAtAll() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("R12 two transactions of 50,000 events", engine);
                LargeTransaction kept = LargeTransaction.begin(scenario, history);
                LargeTransaction dropped = LargeTransaction.begin(scenario, history)) {
            scenario.start(scenario.relay("relay", LEASE));
            kept.append("kept-", 500, 100);
            dropped.append("dropped-", 500, 100);
            dropped.rollback();
            kept.commit();
            scenario.awaitDrained();
            assertThat(scenario.conclude(history, 0).duplicates()).isZero();
        }
    }

    /** The first transaction gets its id first and writes last, so the order of ids is not the order of events. */
    @Test
    void theSequenceNumberDecidesTheOrderOfTransactions() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("R12 a newer transaction writes first", engine)) {
            scenario.start(scenario.relay("relay", LEASE));
            for (int i = 0; i < 20; i++) {
                try (LargeTransaction older =
                                LargeTransaction.begin(scenario, history).number();
                        LargeTransaction newer =
                                LargeTransaction.begin(scenario, history).number()) {
                    newer.append("key-", 10, 2).commit();
                    older.append("key-", 10, 2).commit();
                }
            }
            scenario.awaitDrained();
            assertThat(scenario.conclude(history, 0).duplicates()).isZero();
        }
    }

    /**
     * The heap of the relay is too small for the events. Other events are published while the transactions are open. The default is 120,000 events, to be
     * fast, and fewer on the queue, which updates every row; {@code -Dwaybill.large=1000000} sets another number.
     */
    @Test
    void aLargeTransactionNeedsNoMemory() throws Exception {
        int large = Integer.getInteger("waybill.large", engine == Engine.JOURNAL ? 120_000 : 50_000);
        try (Scenario scenario = new Scenario("R12 a transaction of " + large + " events", engine);
                Connection dropped = scenario.dataSource().getConnection();
                Connection kept = scenario.dataSource().getConnection()) {
            ChildProcess relay = scenario.smallProcess("relay", LEASE);
            scenario.awaitOwner("relay", Scenario.LANES, Duration.ofMinutes(4));
            for (Connection connection : List.of(dropped, kept)) {
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement()) {
                    statement.execute(insert(large));
                }
                scenario.execute(insert(100));
                scenario.awaitDrained(); // events of other transactions are not delayed
            }
            dropped.rollback();
            kept.commit();
            await("all lanes are worked off")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> scenario.store().ready(LANES).isEmpty()); // cheaper than counting the remaining events
            assertThat(scenario.status().pending()).isZero();
            relay.terminate();
            relay.awaitExit();
            assertThat(relay.output()).contains("sent " + (large + 200)).endsWith("stopped");
        }
    }

    private static String insert(int events) {
        return "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'Account', 'key-' || n % 1000, 't', '{}' FROM generate_series(1, " + events + ") n";
    }
}

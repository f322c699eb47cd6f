package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.jdbc.Engine;
import io.waybill.testkit.history.History;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** R12: long and large transactions. */
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
    void aTransactionThatCommitsLastDelaysItsOwnKeysOnly() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("R12 a long transaction", engine);
                Bulk longest = Bulk.begin(scenario, history).append("long-", 5, 3)) {
            scenario.start(scenario.relay("relay", LEASE));
            for (int i = 0; i < 5; i++) {
                try (Bulk shorter = Bulk.begin(scenario, history)) {
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
    void fiftyThousandEventsOfOneTransactionArriveAllOrNotAtAll() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("R12 two transactions of 50,000 events", engine);
                Bulk kept = Bulk.begin(scenario, history);
                Bulk dropped = Bulk.begin(scenario, history)) {
            scenario.start(scenario.relay("relay", LEASE));
            kept.append("kept-", 500, 100);
            dropped.append("dropped-", 500, 100);
            dropped.rollback();
            kept.commit();
            scenario.awaitDrained();
            assertThat(scenario.conclude(history, 0).duplicates()).isZero();
        }
    }

    /** It takes its number first and writes last: the order of transactions is not the order of their numbers. */
    @Test
    void aNewerTransactionThatTakesALowerSequenceNumberComesFirst() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("R12 a newer transaction writes first", engine)) {
            scenario.start(scenario.relay("relay", LEASE));
            for (int i = 0; i < 20; i++) {
                try (Bulk older = Bulk.begin(scenario, history).number();
                        Bulk newer = Bulk.begin(scenario, history).number()) {
                    newer.append("key-", 10, 2).commit();
                    older.append("key-", 10, 2).commit();
                }
            }
            scenario.awaitDrained();
            assertThat(scenario.conclude(history, 0).duplicates()).isZero();
        }
    }

    /**
     * In a process whose heap could not hold them. Others go on while the transactions are open. A quarter of a million, to be
     * quick, and fewer on the queue, which changes every row; {@code -Dwaybill.large=1000000} for more.
     */
    @Test
    void aLargeTransactionNeedsNoMemory() throws Exception {
        int large = Integer.getInteger("waybill.large", engine == Engine.JOURNAL ? 250_000 : 50_000);
        try (Scenario scenario = new Scenario("R12 a transaction of " + large + " events", engine);
                Connection dropped = scenario.dataSource().getConnection();
                Connection kept = scenario.dataSource().getConnection()) {
            ChildProcess relay = scenario.smallProcess("relay", LEASE);
            scenario.awaitOwner("relay", Scenario.LANES, Duration.ofSeconds(30));
            for (Connection connection : List.of(dropped, kept)) {
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement()) {
                    statement.execute(insert(large));
                }
                scenario.execute(insert(100));
                scenario.awaitDrained(); // nobody waits for them
            }
            dropped.rollback();
            kept.commit();
            await("all lanes are worked off")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> scenario.store().ready(LANES).isEmpty()); // cheaper than to count what is left
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

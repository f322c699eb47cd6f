package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.history.History;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** R12: long and large transactions. */
class TransactionsTest {
    private static final Duration LEASE = Duration.ofSeconds(10);

    @Test
    void aTransactionThatCommitsLastDelaysItsOwnKeysOnly() throws Exception {
        History history = new History();
        try (Scenario scenario = new Scenario("R12 a long transaction");
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
        try (Scenario scenario = new Scenario("R12 two transactions of 50,000 events");
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
}

package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.chaos.process.Effects;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.Outcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Consumers of Kafka, whose partitions move. */
class InboxConsumerTest extends ConsumerContract {
    @Override
    Feed feed() {
        return new Feed.Kafka();
    }

    /** The handlers of the first consumer are still at work when their partitions go to the second one. */
    @Test
    void aRebalanceInTheMiddleOfAHandlerHasNoSecondEffect() throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            scenario.publish(events(scenario, 12, 10));
            CountDownLatch inside = new CountDownLatch(3); // one for each partition
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger firsts = new AtomicInteger();
            Handler<Connection> ledger = Effects.ledger("stock");
            Inbox<Connection> slow = scenario.inbox("stock", (event, connection) -> {
                        ledger.handle(event, connection);
                        if (firsts.incrementAndGet() <= 3) {
                            inside.countDown();
                            assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
                        }
                    })
                    .build();
            scenario.consumer(slow, Duration.ofMillis(300)).start();
            assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();

            Counter counter = new Counter();
            Inbox<Connection> quick =
                    scenario.inbox("stock", ledger).listener(counter).build();
            scenario.consumer(quick, PATIENCE).start();
            await("the second consumer waits in the database for the first one's transaction")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> scenario.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND datname = current_database() AND query LIKE '%processed_events%'")
                            > 0);
            go.countDown();
            scenario.awaitApplied("stock", 120);
            assertOrder(scenario, "stock", 12, 10);
            assertThat(counter.count(Outcome.DUPLICATE))
                    .as("the event at hand came again")
                    .isPositive();
        }
    }

    @Test
    void anInboxThatForgetsSoonerThanTheBrokerDoesNotStart() throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            scenario.publish(events(scenario, 1, 1));
            Inbox<Connection> forgetful = scenario.inbox("stock", Effects.ledger("stock"))
                    .retention(Duration.ofDays(7))
                    .build();
            assertThatThrownBy(() -> scenario.consumer(forgetful, PATIENCE).start())
                    .hasMessageContaining(scenario.topic())
                    .hasMessageContaining("Set the inbox's retention");
            Inbox<Connection> careful = scenario.inbox("stock", Effects.ledger("stock"))
                    .retention(Duration.ofDays(8))
                    .build();
            scenario.consumer(careful, PATIENCE).start();
            scenario.awaitApplied("stock", 1);
        }
    }
}

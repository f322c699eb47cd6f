package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.kafka.KafkaInbox;
import io.waybill.processes.Effects;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

/** Kafka consumers while partitions are reassigned. */
class InboxConsumerTest extends ConsumerContract {
    private static final Duration HAND_OVER = Duration.ofSeconds(20);

    @Override
    TestBroker feed() {
        return new TestBroker.Kafka();
    }

    /** The handlers of the first consumer are running when their partitions are assigned to the second one. */
    @Test
    void aRebalanceInTheMiddleOfAHandlerHasNoSecondEffect() throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            scenario.publish(events(scenario, 12, 10));
            CountDownLatch inside = new CountDownLatch(3); // one handler for each partition
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger firsts = new AtomicInteger();
            Handler<Connection> ledger = Effects.ledger("stock");
            Inbox<Connection> slow = scenario.inbox("stock", (connection, event) -> {
                        ledger.handle(connection, event);
                        if (firsts.incrementAndGet() <= 3) {
                            inside.countDown();
                            assertThat(go.await(4, TimeUnit.MINUTES)).isTrue();
                        }
                    })
                    .build();
            scenario.consumer(slow, Duration.ofMillis(300)).start();
            assertThat(inside.await(4, TimeUnit.MINUTES)).isTrue();

            Counter counter = new Counter();
            Inbox<Connection> quick =
                    scenario.inbox("stock", ledger).listener(counter).build();
            scenario.consumer(quick, HAND_OVER).start();
            await("the second consumer waits in the database for the first one's transaction")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> scenario.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND datname = current_database() AND query LIKE '%processed_events%'")
                            > 0);
            go.countDown();
            scenario.awaitApplied("stock", 120);
            assertOrder(scenario, "stock", 12, 10);
            assertThat(counter.count(InboxOutcome.DUPLICATE))
                    .as("duplicates of the interrupted events")
                    .isPositive();
        }
    }

    /** Each partition begins with several bad events, and the client fetches two at a time. The good events are behind them. */
    @Test
    void failingEventsInARowDoNotStopTheKeysBehindThem() throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            Set<String> bad = new HashSet<>();
            List<Event> topic = new ArrayList<>();
            for (int key = 1; key <= 15; key++) {
                bad.add("bad-" + key);
                topic.add(scenario.event("bad-" + key, 1));
            }
            for (int key = 1; key <= 9; key++) {
                topic.add(scenario.event("good-" + key, 1));
            }
            scenario.publish(topic);
            Counter counter = new Counter();
            Handler<Connection> ledger = Effects.ledger("stock");
            Inbox<Connection> inbox = scenario.inbox("stock", (connection, event) -> {
                        ledger.handle(connection, event);
                        if (bad.contains(event.key())) {
                            throw new IllegalStateException("the event is bad");
                        }
                    })
                    .pauseAfter(3)
                    .longestPause(Duration.ofMillis(100))
                    .listener(counter)
                    .build();
            try (KafkaInbox consumer = KafkaInbox.builder(scenario.servers().broker(), inbox)
                    .topics(scenario.topic())
                    .setting("max.poll.records", 2)
                    .build()) {
                consumer.start();
                scenario.awaitApplied("stock", 9);
                await("the bad ones are given up on")
                        .atMost(Duration.ofMinutes(4))
                        .until(() -> scenario.status("stock").deadLetters() == 15);
            }
            assertThat(scenario.applied("stock")).isEqualTo(9);
            assertThat(counter.outages()).as("pauses").isPositive();
            assertThat(scenario.status("stock").pausedConsumers())
                    .as("paused consumers after close")
                    .isZero();
        }
    }

    @Test
    void anInboxWithAShorterRetentionThanTheBrokerDoesNotStart() throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            scenario.publish(events(scenario, 1, 1));
            assertRefused(scenario, Duration.ofDays(7), "PT337H");
            assertRefused(
                    scenario,
                    Duration.ofDays(14),
                    "PT337H"); // retention of 7 days, plus 7 days until the segment is full
            configure(
                    scenario,
                    Map.of("segment.ms", Long.toString(Duration.ofHours(2).toMillis())));
            assertRefused(scenario, Duration.ofDays(7), "PT171H");
            configure(scenario, Map.of("retention.ms", "-1"));
            assertRefused(scenario, Duration.ofDays(1_000), "InboxBuilder.FOREVER");
            configure(scenario, Map.of("retention.ms", "3600000", "cleanup.policy", "compact,delete"));
            assertRefused(scenario, Duration.ofDays(1_000), "InboxBuilder.FOREVER");
            configure(scenario, Map.of("retention.ms", "604800000", "cleanup.policy", "delete"));
            Inbox<Connection> careful = scenario.inbox("stock", Effects.ledger("stock"))
                    .retention(Duration.ofDays(8))
                    .build();
            scenario.consumer(careful, HAND_OVER).start();
            scenario.awaitApplied("stock", 1);
        }
    }

    private static void assertRefused(InboxScenario scenario, Duration retention, String remedy) {
        Inbox<Connection> forgetful = scenario.inbox("stock", Effects.ledger("stock"))
                .retention(retention)
                .build();
        assertThatThrownBy(() -> scenario.consumer(forgetful, HAND_OVER).start())
                .hasMessageContaining(scenario.topic())
                .hasMessageContaining("Set the inbox's retention to " + remedy);
    }

    private static void configure(InboxScenario scenario, Map<String, String> settings) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, scenario.topic());
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", scenario.servers().broker()))) {
            admin.incrementalAlterConfigs(Map.of(
                            topic,
                            settings.entrySet().stream()
                                    .map(e -> new AlterConfigOp(
                                            new ConfigEntry(e.getKey(), e.getValue()), AlterConfigOp.OpType.SET))
                                    .toList()))
                    .all()
                    .get(4, TimeUnit.MINUTES);
        }
    }
}

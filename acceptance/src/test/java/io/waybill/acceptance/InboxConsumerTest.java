package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.chaos.process.Effects;
import io.waybill.embedded.LocalPostgres;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.Outcome;
import io.waybill.kafka.KafkaInbox;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** N4, N13, N14 and the start and stop of consumers, with Kafka. */
class InboxConsumerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void twoGroupsOnOneDatabaseBothApplyEverythingInOrder() throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            scenario.publish(events(scenario, 10, 20));
            for (String group : List.of("stock", "mail")) {
                scenario.consumer(scenario.inbox(group, Effects.ledger(group)).build(), PATIENCE)
                        .start();
            }
            for (String group : List.of("stock", "mail")) {
                scenario.awaitApplied(group, 200);
                assertOrder(scenario, group, 10, 20);
            }
        }
    }

    @Test
    void aStoppedConsumerHasCommittedWhatItDid() throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            scenario.publish(events(scenario, 10, 20));
            KafkaInbox first = scenario.consumer(
                    scenario.inbox("stock", Effects.ledger("stock")).build(), PATIENCE);
            first.start();
            scenario.awaitApplied("stock", 50);
            first.close();
            Counter counter = new Counter();
            scenario.consumer(
                            scenario.inbox("stock", Effects.ledger("stock"))
                                    .listener(counter)
                                    .build(),
                            PATIENCE)
                    .start();
            scenario.awaitApplied("stock", 200);
            assertOrder(scenario, "stock", 10, 20);
            assertThat(counter.count(Outcome.DUPLICATE)).isZero();
        }
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
    void whenEverythingFailsConsumptionPausesAndNothingIsGivenUpOn() throws Exception {
        try (InboxScenario scenario = new InboxScenario()) {
            scenario.publish(events(scenario, 40, 5));
            AtomicBoolean broken = new AtomicBoolean(true);
            AtomicInteger calls = new AtomicInteger();
            Handler<Connection> ledger = Effects.ledger("stock");
            Counter counter = new Counter();
            Inbox<Connection> inbox = scenario.inbox("stock", (event, connection) -> {
                        calls.incrementAndGet();
                        ledger.handle(event, connection);
                        if (broken.get()) {
                            throw new IllegalStateException("the other service is out");
                        }
                    })
                    .listener(counter)
                    .build();
            scenario.consumer(inbox, PATIENCE).start();
            await("it pauses").atMost(PATIENCE).until(inbox::paused);
            int then = calls.get();
            await("it probes").atMost(PATIENCE).until(() -> calls.get() > then + 5);
            assertThat(scenario.status("stock").deadLetters()).isZero();
            assertThat(scenario.status("stock").retrying())
                    .as("no more were tried than it took to find out, but for those side by side")
                    .isLessThanOrEqualTo(20);
            broken.set(false);
            scenario.awaitApplied("stock", 200);
            assertOrder(scenario, "stock", 40, 5);
            assertThat(scenario.status("stock").deadLetters()).isZero();
            assertThat(inbox.paused()).isFalse();
            assertThat(counter.outages.get()).isEqualTo(1);
        }
    }

    @Test
    void anOutageOfTheDatabaseCostsNoAttempts(@TempDir Path folder) throws Exception {
        try (LocalPostgres postgres = LocalPostgres.start(folder);
                InboxScenario scenario = new InboxScenario(Servers.on(postgres))) {
            scenario.publish(events(scenario, 20, 50));
            Inbox<Connection> inbox = scenario.inbox("stock", Effects.ledger("stock"))
                    .retry(new io.waybill.relay.RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(10)))
                    .build();
            scenario.consumer(inbox, PATIENCE).start();
            scenario.awaitApplied("stock", 100);
            postgres.kill();
            await("it pauses").atMost(PATIENCE).until(inbox::paused);
            postgres.restart();
            scenario.awaitApplied("stock", 1_000);
            assertOrder(scenario, "stock", 20, 50);
            assertThat(scenario.status("stock").deadLetters()).isZero();
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

    private static List<Event> events(InboxScenario scenario, int keys, int each) {
        List<Event> events = new ArrayList<>();
        for (int n = 1; n <= each; n++) {
            for (int key = 1; key <= keys; key++) {
                events.add(scenario.event("key-" + key, n));
            }
        }
        return events;
    }

    private static void assertOrder(InboxScenario scenario, String group, int keys, int each) {
        List<Long> expected = new ArrayList<>();
        for (long n = 1; n <= each; n++) {
            expected.add(n);
        }
        assertThat(scenario.ledgerOf(group))
                .hasSize(keys)
                .allSatisfy((key, numbers) -> assertThat(numbers).as(key).containsExactlyElementsOf(expected));
    }

    private static final class Counter implements InboxListener {
        private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        private final AtomicInteger outages = new AtomicInteger();

        @Override
        public synchronized void handled(Event event, Outcome outcome, Duration took) {
            outcomes.merge(outcome, 1, Integer::sum);
        }

        @Override
        public void outageBegan(String reason) {
            outages.incrementAndGet();
        }

        synchronized int count(Outcome outcome) {
            return outcomes.getOrDefault(outcome, 0);
        }
    }
}

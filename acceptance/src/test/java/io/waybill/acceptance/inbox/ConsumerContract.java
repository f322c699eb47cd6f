package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.embedded.LocalPostgres;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.kafka.KafkaInbox;
import io.waybill.nats.NatsInbox;
import io.waybill.processes.Effects;
import io.waybill.rabbitmq.RabbitInbox;
import io.waybill.relay.Relay;
import io.waybill.retry.RetryPolicy;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.transport.Transport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Consumers of any broker: groups, pauses, outages, start and stop (N4, N13, N14). */
@Execution(ExecutionMode.CONCURRENT) // the tests mostly wait for brokers
abstract class ConsumerContract {
    static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Long enough that ten events fail before one reaches its last attempt, even on a busy machine. */
    private static final RetryPolicy UNHURRIED = new RetryPolicy(3, Duration.ofSeconds(3), Duration.ofSeconds(3));

    abstract TestBroker feed();

    @Test
    void twoGroupsOnOneDatabaseApplyAllEventsInOrder() throws Exception {
        try (InboxScenario scenario = new InboxScenario(feed())) {
            List<String> groups = List.of("stock", "mail");
            scenario.introduce(groups);
            scenario.publish(events(scenario, 10, 20));
            for (String group : groups) {
                scenario.start(scenario.inbox(group, Effects.ledger(group)).build());
            }
            for (String group : groups) {
                scenario.awaitApplied(group, 200);
                assertOrder(scenario, group, 10, 20);
            }
        }
    }

    @Test
    void aStoppedConsumerHasAcknowledgedItsEvents() throws Exception {
        try (InboxScenario scenario = new InboxScenario(feed())) {
            scenario.introduce(List.of("stock"));
            scenario.publish(events(scenario, 10, 20));
            AutoCloseable first = scenario.start(
                    scenario.inbox("stock", Effects.ledger("stock")).build());
            scenario.awaitApplied("stock", 50);
            first.close();
            Counter counter = new Counter();
            scenario.start(scenario.inbox("stock", Effects.ledger("stock"))
                    .listener(counter)
                    .build());
            scenario.awaitApplied("stock", 200);
            assertOrder(scenario, "stock", 10, 20);
            assertThat(counter.count(InboxOutcome.DUPLICATE)).isZero();
        }
    }

    @Test
    void whenAllEventsFailConsumptionPausesWithoutDeadLetters() throws Exception {
        try (InboxScenario scenario = new InboxScenario(feed())) {
            scenario.introduce(List.of("stock"));
            scenario.publish(events(scenario, 40, 5));
            AtomicBoolean broken = new AtomicBoolean(true);
            AtomicInteger calls = new AtomicInteger();
            Handler<Connection> ledger = Effects.ledger("stock");
            Counter counter = new Counter();
            Inbox<Connection> inbox = scenario.inbox("stock", (connection, event) -> {
                        calls.incrementAndGet();
                        ledger.handle(connection, event);
                        if (broken.get()) {
                            throw new IllegalStateException("the other service is out");
                        }
                    })
                    .listener(counter)
                    .retry(UNHURRIED)
                    .build();
            scenario.start(inbox);
            await("it pauses").atMost(PATIENCE).until(inbox::paused);
            int then = calls.get();
            await("it probes").atMost(PATIENCE).until(() -> calls.get() > then + 5);
            assertThat(scenario.status("stock").deadLetters()).isZero();
            assertThat(scenario.status("stock").retrying())
                    .as("attempts: those before the pause, concurrent ones and probes")
                    .isLessThanOrEqualTo(20 + calls.get() - then);
            await("the pause is shown")
                    .atMost(PATIENCE)
                    .until(() -> scenario.status("stock").pausedConsumers() == 1);
            broken.set(false);
            scenario.awaitApplied("stock", 200);
            assertOrder(scenario, "stock", 40, 5);
            assertThat(scenario.status("stock").deadLetters()).isZero();
            assertThat(inbox.paused()).isFalse();
            assertThat(counter.outages.get()).isEqualTo(1);
        }
    }

    /** An error ends the thread that runs due events. The consumer ends too, and the next consumer handles all remaining events. */
    @Test
    void aBackgroundErrorEndsTheConsumer() throws Exception {
        try (InboxScenario scenario = new InboxScenario(feed())) {
            scenario.introduce(List.of("stock"));
            scenario.publish(events(scenario, 10, 5));
            AtomicBoolean broken = new AtomicBoolean();
            InboxStore<Connection> store = brittle(scenario.inbox().store(), broken);
            Inbox<Connection> inbox = Inbox.builder(store, "stock")
                    .on(InboxScenario.TYPE, Effects.ledger("stock"))
                    .build();
            AutoCloseable first = scenario.start(inbox);
            scenario.awaitApplied("stock", 50);
            assertThat(isRunning(first)).isTrue();
            assertThat(inbox.isRunning()).isTrue();
            broken.set(true);
            await("it ends").atMost(PATIENCE).until(() -> !isRunning(first) && !inbox.isRunning());
            scenario.publish(events(scenario, 10, 5, 2));
            scenario.start(scenario.inbox("stock", Effects.ledger("stock")).build());
            scenario.awaitApplied("stock", 100);
            assertOrder(scenario, "stock", 10, 10);
        }
    }

    private static boolean isRunning(AutoCloseable consumer) {
        return consumer instanceof KafkaInbox kafka
                ? kafka.isRunning()
                : consumer instanceof RabbitInbox rabbit ? rabbit.isRunning() : ((NatsInbox) consumer).isRunning();
    }

    /** Returns a store that fails with a missing class when it looks for due events, once the switch is set. */
    @SuppressWarnings("unchecked")
    private static InboxStore<Connection> brittle(InboxStore<Connection> store, AtomicBoolean broken) {
        return (InboxStore<Connection>) Proxy.newProxyInstance(
                InboxStore.class.getClassLoader(), new Class<?>[] {InboxStore.class}, (proxy, method, arguments) -> {
                    if (broken.get() && method.getName().equals("claimDue")) {
                        throw new NoClassDefFoundError("io/waybill/Gone");
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void anOutageOfTheDatabaseCostsNoAttempts(@TempDir Path folder) throws Exception {
        try (LocalPostgres postgres = LocalPostgres.start(folder);
                InboxScenario scenario = new InboxScenario(ScenarioServers.on(postgres), feed())) {
            scenario.introduce(List.of("stock"));
            scenario.publish(events(scenario, 20, 20));
            Inbox<Connection> inbox = scenario.inbox("stock", Effects.ledger("stock"))
                    .retry(new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(10)))
                    .build();
            scenario.start(inbox);
            scenario.awaitApplied("stock", 100);
            postgres.kill();
            await("it pauses").atMost(PATIENCE).until(inbox::paused);
            postgres.restart();
            scenario.awaitApplied("stock", 400);
            assertOrder(scenario, "stock", 20, 20);
            assertThat(scenario.status("stock").deadLetters()).isZero();
        }
    }

    /** The first consumer loses its connection while it handles events. The second one continues, and the first reconnects. */
    @Test
    void aConsumerThatLosesItsConnectionKeepsTheOrder() throws Exception {
        TestBroker feed = feed();
        assumeTrue(feed.staysOnItsPort(), "clients of this broker go round a proxy");
        try (TcpProxy proxy = TcpProxy.to(feed.port());
                InboxScenario scenario = new InboxScenario(feed)) {
            scenario.introduce(List.of("stock"));
            scenario.publish(events(scenario, 10, 40));
            for (int round = 1; round <= 2; round++) {
                scenario.start(scenario.inbox("stock", Effects.ledger("stock")).build(), proxy.port());
                scenario.awaitApplied("stock", round * 50L);
                proxy.cut();
                proxy.heal();
            }
            scenario.start(scenario.inbox("stock", Effects.ledger("stock")).build());
            scenario.awaitApplied("stock", 200);
            proxy.cut();
            scenario.awaitApplied("stock", 400);
            assertOrder(scenario, "stock", 10, 40);
        }
    }

    /** The whole way from outbox to inbox, while the connection of the relay to the broker breaks and loses acknowledgements. */
    @Test
    void aLossyConnectionToTheBrokerLosesNoEventsAndKeepsTheOrder() throws Exception {
        TestBroker feed = feed();
        assumeTrue(feed.staysOnItsPort(), "clients of this broker go round a proxy");
        try (TcpProxy proxy = TcpProxy.to(feed.port());
                InboxScenario scenario = new InboxScenario(feed)) {
            scenario.introduce(List.of("stock"));
            scenario.start(scenario.inbox("stock", Effects.ledger("stock")).build());
            try (Transport transport = feed.transport(proxy.port(), Duration.ofSeconds(2));
                    Relay relay = Relay.builder(
                                    PostgresJournal.on(scenario.dataSource()).store(), transport)
                            .batchSize(50)
                            .build()) {
                relay.start();
                for (int round = 1; round <= 4; round++) {
                    scenario.append(events(scenario, 10, 10, round));
                    scenario.awaitApplied("stock", (round - 1) * 100L + 20);
                    if (round % 2 == 0) {
                        proxy.dropToClient();
                        await("acknowledgements are missed").atMost(PATIENCE).until(() -> !answers(transport));
                    } else {
                        proxy.cut();
                    }
                    proxy.heal();
                }
                scenario.awaitApplied("stock", 400);
            }
            assertOrder(scenario, "stock", 10, 40);
        }
    }

    private static boolean answers(Transport transport) {
        try {
            transport.probe();
            return true;
        } catch (WaybillException e) {
            return false;
        }
    }

    static List<Event> events(InboxScenario scenario, int keys, int each) {
        return events(scenario, keys, each, 1);
    }

    /** @param round the first round starts with number 1; each round continues where the previous one ended */
    private static List<Event> events(InboxScenario scenario, int keys, int each, int round) {
        List<Event> events = new ArrayList<>();
        for (int n = (round - 1) * each + 1; n <= round * each; n++) {
            for (int key = 1; key <= keys; key++) {
                events.add(scenario.event("key-" + key, n));
            }
        }
        return events;
    }

    static void assertOrder(InboxScenario scenario, String group, int keys, int each) {
        List<Long> expected = new ArrayList<>();
        for (long n = 1; n <= each; n++) {
            expected.add(n);
        }
        assertThat(scenario.ledgerOf(group))
                .hasSize(keys)
                .allSatisfy((key, numbers) -> assertThat(numbers).as(key).containsExactlyElementsOf(expected));
    }

    /** Counts outcomes of events and pauses of the group. */
    static final class Counter implements InboxListener {
        private final Map<InboxOutcome, Integer> outcomes = new EnumMap<>(InboxOutcome.class);
        private final AtomicInteger outages = new AtomicInteger();
        private final AtomicInteger poison = new AtomicInteger();

        @Override
        public synchronized void handled(Event event, InboxOutcome outcome, Duration took) {
            outcomes.merge(outcome, 1, Integer::sum);
        }

        @Override
        public void outageBegan(String reason) {
            outages.incrementAndGet();
        }

        @Override
        public void poison(ReceivedMessage message, String reason) {
            poison.incrementAndGet();
        }

        int poison() {
            return poison.get();
        }

        int outages() {
            return outages.get();
        }

        synchronized int count(InboxOutcome outcome) {
            return outcomes.getOrDefault(outcome, 0);
        }
    }
}

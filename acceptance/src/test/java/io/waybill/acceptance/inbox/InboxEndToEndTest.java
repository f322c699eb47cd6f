package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.acceptance.Report;
import io.waybill.faults.history.TopicDump;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.ConsumerProgram;
import io.waybill.processes.RelayProgram;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/**
 * The whole way from outbox to inbox on Kafka, while relay and consumer are killed at random. The effects go to a table without a unique key. {@code
 * -Dwaybill.e2e.events=100000} sets the number of events, {@code -Dwaybill.e2e.seed=…} repeats the random choices of a run.
 */
class InboxEndToEndTest {
    private static final String GROUP = "ledger";
    private static final int EVENTS = Integer.getInteger("waybill.e2e.events", 20_000);
    private static final int KEYS = 50;
    private static final int PORTIONS = 8;
    private static final int KILLS = Math.max(12, EVENTS / 2_500);
    private static final int TRANSACTION = 100;
    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void everyEventHasExactlyOneEffectInOrderThroughCrashes() throws Exception {
        long began = System.nanoTime();
        long seed = Long.getLong("waybill.e2e.seed", System.nanoTime());
        Random random = new Random(seed);
        try (InboxScenario scenario = new InboxScenario()) {
            Semaphore portions = new Semaphore(1);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(scenario, portions));
            ChildProcess relay = relay(scenario, 0);
            ChildProcess consumer = consumer(scenario);
            List<ChildProcess> consumers = new ArrayList<>(List.of(consumer));
            int relayKills = 0;
            int consumerKills = 0;
            long limit = System.nanoTime() + Duration.ofMinutes(5).toNanos() + EVENTS * 3_000_000L;
            while (scenario.applied(GROUP) < EVENTS && System.nanoTime() < limit) {
                Thread.sleep(1_500 + random.nextInt(1_500)); // the random lifetime is the purpose of this test
                if (relayKills + consumerKills >= KILLS) {
                    continue; // enough kills
                }
                if (random.nextBoolean()) {
                    relay.kill();
                    relay = relay(scenario, ++relayKills);
                } else {
                    consumer.kill();
                    consumer = consumer(scenario);
                    consumers.add(consumer);
                    consumerKills++;
                }
                portions.release();
            }
            writer.join();

            List<Long> expected = new ArrayList<>();
            for (long n = 1; n <= EVENTS / KEYS; n++) {
                expected.add(n);
            }
            assertThat(scenario.ledgerOf(GROUP))
                    .as("seed %s", seed)
                    .hasSize(KEYS)
                    .allSatisfy((key, numbers) -> assertThat(numbers).as(key).isEqualTo(expected));
            assertThat(scenario.status(GROUP).deadLetters()).isZero();
            assertThat(relayKills + consumerKills).isGreaterThanOrEqualTo(PORTIONS - 1);
            int published = TopicDump.read(scenario.servers().broker(), scenario.topic())
                    .size();
            Report.line(
                    "N end to end, seed " + seed,
                    "events=" + EVENTS + " relay-kills=" + relayKills + " consumer-kills=" + consumerKills + " records="
                            + published + " duplicates-met=" + duplicates(consumers),
                    Duration.ofNanos(System.nanoTime() - began));
        }
    }

    private static void write(InboxScenario scenario, Semaphore portions) {
        long[] numbers = new long[KEYS];
        int portion = Math.max(TRANSACTION, EVENTS / PORTIONS);
        try (Connection connection = scenario.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < EVENTS; i += TRANSACTION) {
                if (i % portion == 0) {
                    portions.acquire(); // kills happen between portions
                }
                List<Event> events = new ArrayList<>();
                for (int j = i; j < i + TRANSACTION; j++) {
                    int key = j % KEYS;
                    events.add(scenario.event("key-" + key, ++numbers[key]));
                }
                JdbcOutbox.create().append(connection, events);
                connection.commit();
            }
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ChildProcess relay(InboxScenario scenario, int number) {
        return scenario.track(RelayProgram.start(
                Engine.JOURNAL,
                scenario.servers().jdbcUrl(),
                scenario.servers().broker(),
                "relay-" + number,
                LEASE,
                List.of()));
    }

    private static ChildProcess consumer(InboxScenario scenario) {
        return scenario.track(ChildProcess.run(
                ConsumerProgram.class,
                List.of(),
                scenario.servers().jdbcUrl(),
                scenario.servers().broker(),
                scenario.topic(),
                InboxScenario.TYPE,
                GROUP,
                "consumer",
                "20"));
    }

    private static long duplicates(List<ChildProcess> consumers) {
        return consumers.stream()
                .flatMap(consumer -> consumer.output().stream())
                .filter(line -> line.startsWith("duplicates "))
                .count();
    }
}

package io.waybill.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waybill.testkit.transport.BreakableBroker.Capability;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Messages of one key that a transport takes together: whatever happens to the broker, none passes another. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LineContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final Duration PATIENT = Duration.ofSeconds(30);

    private BreakableBroker broker;

    /** Starts the broker; called once for all tests of the class. */
    protected abstract BreakableBroker startBroker();

    protected final BreakableBroker broker() {
        return broker;
    }

    @BeforeAll
    void start() {
        broker = startBroker();
    }

    @AfterEach
    void heal() {
        broker.heal();
    }

    @AfterAll
    void stop() {
        broker.close();
    }

    @Test
    void aLineArrivesInOrderAndEachMessageIsToldOnce() {
        String topic = newTopic();
        try (Transport transport = broker.connect(PATIENT)) {
            List<Result> results = new ArrayList<>();
            List<Message> rest = line(topic, "key", 3_000);
            while (!rest.isEmpty()) {
                List<Result> taken = hand(transport, rest);
                taken.forEach(result -> result.assertAcknowledged(PATIENT));
                results.addAll(taken);
                rest = rest.subList(taken.size(), rest.size());
            }
            assertThat(results).allSatisfy(result -> assertThat(result.times()).isEqualTo(1));
        }
        assertThat(numbers(broker.read(topic, 3_000), "key"))
                .isEqualTo(IntStream.range(0, 3_000).boxed().toList());
    }

    /** As much of the line as was taken: nothing behind the oversized one may be acknowledged, or arrive. */
    @Test
    void nothingPassesAMessageThatIsRefused() {
        assumeTrue(broker.capabilities().contains(Capability.SIZE_LIMIT), "the broker takes all sizes");
        String topic = newTopic();
        List<Message> line = new ArrayList<>(line(topic, "key", 10));
        byte[] oversized = new byte[broker.sizeLimit() + 1];
        new Random(1).nextBytes(oversized); // nothing that compression could make fit
        line.set(4, new Message(UUID.randomUUID(), topic, "key", oversized, Map.of()));
        try (Transport transport = broker.connect(PATIENT)) {
            int through = 0;
            Optional<Failure> refused = Optional.empty();
            while (refused.isEmpty()) {
                for (Result result : hand(transport, line.subList(through, line.size()))) {
                    Optional<Failure> failure = result.await(PATIENT);
                    assertThat(refused.isPresent() && failure.isEmpty())
                            .as("acknowledged behind a refusal: %s", result.message())
                            .isFalse();
                    refused = refused.or(() -> failure);
                    through += refused.isPresent() ? 0 : 1;
                }
            }
            assertThat(through).isEqualTo(4);
        }
        assertThat(numbers(broker.read(topic, 4), "key")).containsExactly(0, 1, 2, 3);
    }

    @Test
    void aKilledBrokerBreaksNoOrder() throws Exception {
        survives(() -> {
            broker.kill();
            broker.heal();
        });
    }

    @Test
    void aFrozenBrokerBreaksNoOrder() throws Exception {
        survives(() -> {
            broker.suspend();
            pause(TIMEOUT.plusSeconds(1));
            broker.heal();
        });
    }

    @Test
    void lostAcknowledgementsBreakNoOrder() throws Exception {
        survives(() -> {
            broker.dropAnswers();
            pause(TIMEOUT.plusSeconds(1));
            broker.heal();
        });
    }

    /** Four keys go on until the fault is over and everything has arrived. */
    private void survives(Runnable fault) throws Exception {
        String topic = newTopic();
        int keys = 4;
        ExecutorService senders = Executors.newFixedThreadPool(keys);
        CountDownLatch healed = new CountDownLatch(1);
        CountDownLatch flowing = new CountDownLatch(keys);
        try (Transport transport = broker.connect(TIMEOUT)) {
            List<Future<Integer>> sent = IntStream.range(0, keys)
                    .mapToObj(k -> senders.submit(() -> sendUntil(healed, flowing, transport, topic, "key-" + k)))
                    .toList();
            assertThat(flowing.await(30, TimeUnit.SECONDS)).isTrue();
            fault.run();
            healed.countDown();
            int all = 0;
            for (Future<Integer> count : sent) {
                all += count.get(2, TimeUnit.MINUTES);
            }
            List<ReceivedMessage> received = broker.read(topic, all);
            for (int k = 0; k < keys; k++) {
                Set<Integer> seen = new HashSet<>();
                List<Integer> first =
                        numbers(received, "key-" + k).stream().filter(seen::add).toList();
                assertThat(first)
                        .as("first deliveries of key-%s", k)
                        .isEqualTo(IntStream.range(0, sent.get(k).get()).boxed().toList());
            }
        } finally {
            senders.shutdownNow();
        }
    }

    /** As a relay does: a line at a time, and what was not acknowledged again, one by one. */
    private static int sendUntil(
            CountDownLatch healed, CountDownLatch flowing, Transport transport, String topic, String key) {
        int next = 0;
        for (int round = 0; round < 20 || healed.getCount() > 0; round++) {
            List<Message> rest = line(topic, key, next, 50);
            boolean together = true;
            while (!rest.isEmpty()) {
                List<Result> taken = hand(transport, together ? rest : rest.subList(0, 1));
                int through = 0;
                boolean failed = false;
                for (Result result : taken) {
                    Optional<Failure> failure = result.await(PATIENT);
                    assertThat(failed && failure.isEmpty())
                            .as("acknowledged behind a failure: %s", result.message())
                            .isFalse();
                    failed |= failure.isPresent();
                    through += failed ? 0 : 1;
                }
                together &= !failed;
                rest = rest.subList(through, rest.size());
            }
            next += 50;
            if (round == 10) {
                flowing.countDown();
            }
        }
        return next;
    }

    private static List<Result> hand(Transport transport, List<Message> messages) {
        List<Result> results = messages.stream().map(Result::new).toList();
        int taken = transport.sendInOrder(messages, List.<Delivery>copyOf(results));
        assertThat(taken).isBetween(1, messages.size());
        return results.subList(0, taken);
    }

    private static List<Message> line(String topic, String key, int count) {
        return line(topic, key, 0, count);
    }

    private static List<Message> line(String topic, String key, int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(n -> new Message(
                        UUID.randomUUID(), topic, key, Integer.toString(n).getBytes(UTF_8), Map.of()))
                .toList();
    }

    private static List<Integer> numbers(List<ReceivedMessage> received, String key) {
        return received.stream()
                .filter(message -> message.key().equals(key))
                .map(message -> Integer.valueOf(message.text()))
                .toList();
    }

    private String newTopic() {
        String name = "line-" + UUID.randomUUID();
        broker.createTopic(name);
        return name;
    }

    /** A fault must last longer than the time-out: there is no condition to wait for. */
    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

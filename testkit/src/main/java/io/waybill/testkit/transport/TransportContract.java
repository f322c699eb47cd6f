package io.waybill.testkit.transport;

import static io.waybill.testkit.transport.BreakableBroker.Capability.DEDUPLICATION;
import static io.waybill.testkit.transport.BreakableBroker.Capability.ILLEGAL_TOPICS;
import static io.waybill.testkit.transport.BreakableBroker.Capability.MISSING_TOPICS;
import static io.waybill.testkit.transport.BreakableBroker.Capability.SIZE_LIMIT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waybill.WaybillException;
import io.waybill.testkit.transport.BreakableBroker.Capability;
import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What the relay relies on, whatever the broker. A transport's test extends this class and supplies a broker to break.
 *
 * <p>Transports in here get a long send timeout where all is well, so that a busy machine fails no test, and a short one
 * where the broker is broken, so that nobody waits.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class TransportContract {
    private static final Duration PATIENT = Duration.ofSeconds(30);
    private static final Duration HASTY = Duration.ofSeconds(4);
    /** What a transport may take on top of its timeout, on a machine with other things to do. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    private BreakableBroker broker;
    private final List<Transport> transports = new ArrayList<>();
    private String topic = "";

    /** Starts the broker; called once for all tests of the class. */
    protected abstract BreakableBroker startBroker();

    @BeforeAll
    void start() {
        broker = startBroker();
    }

    @BeforeEach
    void freshTopic() {
        topic = newTopic();
    }

    @AfterEach
    void healAll() {
        transports.forEach(Transport::close);
        transports.clear();
        broker.heal();
    }

    @AfterAll
    void stopBroker() {
        broker.close();
    }

    @Test
    void messagesArriveIntact() {
        String body = "{\"text\":\"Grüße, 漢字, 🚚💨, \\u0000, \u0001\u001f\u007f\u0085, \r\n\t\"}";
        Map<String, String> headers =
                Map.of("traceparent", "00-ab-cd-01", "empty", "", "umlaut-ä", "Wert 漢 🚀", "control", "a\u0001b");
        Message message = new Message(UUID.randomUUID(), topic, "Schlüssel/🗝", body.getBytes(UTF_8), headers);
        Message empty = new Message(UUID.randomUUID(), topic, "empty", new byte[0], Map.of());

        Transport transport = connect(PATIENT);
        send(transport, message).assertAcknowledged(PATIENT);
        send(transport, empty).assertAcknowledged(PATIENT);

        List<ReceivedMessage> received = broker.read(topic, 2);
        ReceivedMessage first = only(received, "Schlüssel/🗝");
        assertThat(first.text()).isEqualTo(body);
        assertThat(first.headers()).containsAllEntriesOf(headers);
        assertThat(only(received, "empty").value()).isEmpty();
        assertThat(received).hasSize(2);
    }

    @Test
    void bytesThatAreNoTextArriveIntact() {
        byte[] body = new byte[70_000];
        new Random(1).nextBytes(body);

        send(connect(PATIENT), new Message(UUID.randomUUID(), topic, "bytes", body, Map.of()))
                .assertAcknowledged(PATIENT);

        assertThat(only(broker.read(topic, 1), "bytes").value()).isEqualTo(body);
    }

    @Test
    void aKeysOrderIsTheOrderInWhichEachWasAwaited() {
        Transport transport = connect(PATIENT);
        List<String> bodies =
                IntStream.range(0, 100).mapToObj(Integer::toString).toList();
        for (String body : bodies) {
            Result other = send(transport, message("other-" + body, body));
            send(transport, message("key", body)).assertAcknowledged(PATIENT);
            other.assertAcknowledged(PATIENT);
        }

        assertThat(bodiesOf("key", broker.read(topic, 200))).isEqualTo(bodies);
    }

    @Test
    void manyThreadsSendAndEachMessageIsToldOnceAndArrivesOnce() throws Exception {
        Transport transport = connect(PATIENT);
        int threads = 8;
        int messagesOfEach = 250;
        ExecutorService senders = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<List<Result>>> work = IntStream.range(0, threads)
                    .<Callable<List<Result>>>mapToObj(thread -> () -> IntStream.range(0, messagesOfEach)
                            .mapToObj(n -> send(transport, message(thread + "/" + n, "body")))
                            .toList())
                    .toList();
            List<Result> results = new ArrayList<>();
            for (Future<List<Result>> future : senders.invokeAll(work)) {
                results.addAll(future.get());
            }
            results.forEach(result -> result.assertAcknowledged(PATIENT));

            List<ReceivedMessage> received = broker.read(topic, results.size());
            assertThat(received)
                    .extracting(ReceivedMessage::key)
                    .containsExactlyInAnyOrderElementsOf(results.stream()
                            .map(result -> result.message().key())
                            .toList());
            assertToldOnce(results);
        } finally {
            senders.shutdownNow();
        }
    }

    @Test
    void anOversizedMessageIsRefusedForGoodAndTheOthersGoOn() {
        needs(SIZE_LIMIT);
        Transport transport = connect(PATIENT);
        byte[] body = new byte[broker.sizeLimit() + 1];
        new Random(1).nextBytes(body); // nothing that compression could make fit

        Result before = send(transport, message("before", "small"));
        Result oversized = send(transport, new Message(UUID.randomUUID(), topic, "oversized", body, Map.of()));
        Result after = send(transport, message("after", "small"));

        Failure failure = oversized.assertFailed(Kind.PERMANENT, PATIENT);
        assertThat(failure.reason()).contains(oversized.message().id().toString(), topic);
        before.assertAcknowledged(PATIENT);
        after.assertAcknowledged(PATIENT);
        assertThat(broker.read(topic, 2)).extracting(ReceivedMessage::key).containsExactlyInAnyOrder("before", "after");
        assertToldOnce(List.of(before, oversized, after));
    }

    @Test
    void anIllegalTopicIsRefusedForGood() {
        needs(ILLEGAL_TOPICS);
        Transport transport = connect(PATIENT);
        for (String illegal : broker.illegalTopics()) {
            send(transport, new Message(UUID.randomUUID(), illegal, "key", new byte[1], Map.of()))
                    .assertFailed(Kind.PERMANENT, PATIENT);
        }
        send(transport, message("key", "after")).assertAcknowledged(PATIENT);
    }

    @Test
    void aMissingTopicFailsItsOwnMessagesOnly() {
        needs(MISSING_TOPICS);
        Transport transport = connect(PATIENT);
        send(transport, message("first", "")).assertAcknowledged(PATIENT);
        String missing = "missing-" + UUID.randomUUID();

        Result lost = send(transport, new Message(UUID.randomUUID(), missing, "key", new byte[1], Map.of()));
        long start = System.nanoTime();
        send(transport, message("second", "")).assertAcknowledged(PATIENT);
        Duration other = Duration.ofNanos(System.nanoTime() - start);

        assertThat(other)
                .as("not behind the missing topic, however long that is looked for")
                .isLessThan(Duration.ofSeconds(2));
        Failure failure = lost.assertFailed(Kind.DESTINATION, PATIENT);
        assertThat(failure.reason()).contains(missing);

        broker.createTopic(missing);
        await().atMost(PATIENT)
                .until(() -> send(transport, lost.message()).await(PATIENT).isEmpty());
    }

    @Test
    void aKilledBrokerIsAnOutageAndTheSameTransportGoesOnAfterIt() {
        Transport transport = connect(HASTY);
        send(transport, message("key", "before")).assertAcknowledged(PATIENT);
        transport.probe();

        broker.kill();
        long start = System.nanoTime();
        List<Result> lost = IntStream.range(0, 50)
                .mapToObj(n -> send(transport, message("key-" + n, "lost")))
                .toList();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("not every message may hold up the thread that sends")
                .isLessThan(HASTY);
        lost.forEach(result -> result.assertFailed(Kind.OUTAGE, HASTY.plus(SLACK)));
        assertRefusesProbe(transport);

        broker.heal();
        await().atMost(PATIENT).untilAsserted(transport::probe);
        awaitAcknowledged(transport, message("key", "after"));
        lost.stream()
                .map(result -> send(transport, result.message()))
                .toList()
                .forEach(result -> result.assertAcknowledged(HASTY.plus(SLACK)));

        List<ReceivedMessage> received = broker.read(topic, 52);
        assertThat(bodiesOf("key", received)).containsSubsequence("before", "after");
        assertThat(received)
                .extracting(ReceivedMessage::key)
                .containsAll(lost.stream().map(result -> result.message().key()).toList());
        assertToldOnce(lost);
    }

    @Test
    void aFrozenBrokerIsAnOutageWithinTheTimeout() {
        Transport transport = connect(HASTY);
        send(transport, message("key", "before")).assertAcknowledged(PATIENT);

        broker.suspend();
        Result lost = send(transport, message("key", "frozen"));
        lost.assertFailed(Kind.OUTAGE, HASTY.plus(SLACK));
        assertRefusesProbe(transport);

        broker.heal();
        awaitAcknowledged(transport, lost.message());
        awaitAcknowledged(transport, message("key", "after"));
        // Frozen, the broker may have had the message in hand: then it comes twice, but before what follows it.
        assertThat(bodiesOf("key", broker.read(topic, 3)).stream().distinct())
                .containsExactly("before", "frozen", "after");
        assertToldOnce(List.of(lost));
    }

    /** More than all buffers on the way hold, so that a write hangs. */
    @Test
    void aBrokerThatReadsNothingIsAnOutageForAllSendersInBoundedTime() throws Exception {
        int senders = 4;
        Transport transport = connect(HASTY);
        send(transport, message("key", "before")).assertAcknowledged(PATIENT);

        broker.suspend();
        ExecutorService threads = Executors.newFixedThreadPool(senders);
        List<Future<List<Result>>> sending = IntStream.range(0, senders)
                .mapToObj(sender -> threads.submit(() -> IntStream.range(0, 30)
                        .mapToObj(n -> send(transport, message("key-" + sender + "-" + n, "x".repeat(200_000))))
                        .toList()))
                .toList();
        threads.shutdown();
        List<Result> results = new ArrayList<>();
        for (Future<List<Result>> sent : sending) {
            results.addAll(sent.get(HASTY.multipliedBy(3).toMillis(), TimeUnit.MILLISECONDS));
        }
        results.forEach(result -> result.assertFailed(Kind.OUTAGE, HASTY.plus(SLACK)));

        broker.heal();
        awaitAcknowledged(transport, message("key", "after"));
        assertToldOnce(results);
    }

    @Test
    void aLostAcknowledgementIsAnOutageAndSendingAgainIsSafe() {
        Transport transport = connect(HASTY);
        send(transport, message("key", "before")).assertAcknowledged(PATIENT);

        broker.dropAnswers();
        Result unheard = send(transport, message("key", "unheard"));
        unheard.assertFailed(Kind.OUTAGE, HASTY.plus(SLACK));

        broker.heal();
        awaitAcknowledged(transport, unheard.message());
        if (broker.capabilities().contains(DEDUPLICATION)) {
            assertThat(bodiesOf("key", broker.read(topic, 2))).containsExactly("before", "unheard");
        } else {
            assertThat(bodiesOf("key", broker.read(topic, 3)))
                    .startsWith("before", "unheard", "unheard")
                    .containsOnly("before", "unheard");
        }
        assertToldOnce(List.of(unheard));
    }

    @Test
    void aSlowBrokerIsNoOutage() {
        Transport transport = connect(PATIENT);
        send(transport, message("key", "before")).assertAcknowledged(PATIENT);

        broker.slowDown(Duration.ofMillis(300));
        List<Result> slow = IntStream.range(0, 200)
                .mapToObj(n -> send(transport, message("key-" + n, "slow")))
                .toList();
        slow.forEach(result -> result.assertAcknowledged(PATIENT));

        assertThat(broker.read(topic, 201)).as("nothing was sent twice").hasSize(201);
        assertToldOnce(slow);
    }

    @Test
    void withTheBrokerDownATransportCanBeBuiltUsedAndClosedInBoundedTime() {
        broker.kill();
        Transport transport = connect(HASTY);
        assertRefusesProbe(transport);
        send(transport, message("key", "early")).assertFailed(Kind.OUTAGE, HASTY.plus(SLACK));

        List<Result> pending = IntStream.range(0, 20)
                .mapToObj(n -> send(transport, message("key-" + n, "pending")))
                .toList();
        long start = System.nanoTime();
        transport.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(HASTY.plus(SLACK));

        pending.forEach(result -> result.assertFailed(Kind.OUTAGE, Duration.ZERO));
        assertToldOnce(pending);
        send(transport, message("key", "late")).assertFailed(Kind.OUTAGE, HASTY);
    }

    @Test
    void closingWaitsForWhatIsBeingSent() {
        Transport transport = connect(PATIENT);
        List<Result> results = IntStream.range(0, 200)
                .mapToObj(n -> send(transport, message("key-" + n, "body")))
                .toList();

        transport.close();

        results.forEach(result -> result.assertAcknowledged(Duration.ZERO));
        assertThat(broker.read(topic, 200)).hasSize(200);
    }

    private Transport connect(Duration timeout) {
        Transport transport = broker.connect(timeout);
        transports.add(transport);
        return transport;
    }

    private String newTopic() {
        String name = "contract-" + UUID.randomUUID();
        broker.createTopic(name);
        return name;
    }

    private Message message(String key, String body) {
        return new Message(UUID.randomUUID(), topic, key, body.getBytes(UTF_8), Map.of());
    }

    private static Result send(Transport transport, Message message) {
        Result result = new Result(message);
        transport.send(message, result);
        return result;
    }

    /** As the relay does it after an outage: the same message again until it is taken. */
    private static void awaitAcknowledged(Transport transport, Message message) {
        await().atMost(PATIENT)
                .pollDelay(Duration.ZERO)
                .untilAsserted(() -> send(transport, message).assertAcknowledged(HASTY.plus(SLACK)));
    }

    private static void assertRefusesProbe(Transport transport) {
        long start = System.nanoTime();
        assertThatThrownBy(transport::probe).isInstanceOf(WaybillException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    private static void assertToldOnce(List<Result> results) {
        assertThat(results).allSatisfy(result -> assertThat(result.times()).isEqualTo(1));
    }

    private static List<String> bodiesOf(String key, List<ReceivedMessage> received) {
        return received.stream()
                .filter(message -> message.key().equals(key))
                .map(ReceivedMessage::text)
                .toList();
    }

    private static ReceivedMessage only(List<ReceivedMessage> received, String key) {
        List<ReceivedMessage> found =
                received.stream().filter(message -> message.key().equals(key)).toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private void needs(Capability capability) {
        assumeTrue(broker.capabilities().contains(capability), () -> "the broker lacks " + capability);
    }
}

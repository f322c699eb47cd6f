package io.waybill.testkit.transport;

import static io.waybill.testkit.transport.BreakableBroker.Capability.ILLEGAL_TOPICS;
import static io.waybill.testkit.transport.BreakableBroker.Capability.MISSING_TOPICS;
import static io.waybill.testkit.transport.BreakableBroker.Capability.SIZE_LIMIT;
import static io.waybill.testkit.transport.TransportTests.assertReportedOnce;
import static io.waybill.testkit.transport.TransportTests.bodiesOf;
import static io.waybill.testkit.transport.TransportTests.send;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A broker that works: content, order, and messages that it rejects. */
interface DeliveryTests extends TransportTests {
    @Test
    default void messagesArriveIntact() {
        String body = "{\"text\":\"Grüße, 漢字, 🚚💨, \\u0000, \u0001\u001f\u007f\u0085, \r\n\t\"}";
        Map<String, String> headers =
                Map.of("traceparent", "00-ab-cd-01", "empty", "", "umlaut-ä", "Wert 漢 🚀", "control", "a\u0001b");
        Message message = new Message(UUID.randomUUID(), topic(), "Schlüssel/🗝", body.getBytes(UTF_8), headers);
        Message empty = new Message(UUID.randomUUID(), topic(), "empty", new byte[0], Map.of());

        Transport transport = connect(LONG_TIMEOUT);
        send(transport, message).assertAcknowledged(LONG_TIMEOUT);
        send(transport, empty).assertAcknowledged(LONG_TIMEOUT);

        List<ReceivedMessage> received = broker().read(topic(), 2);
        ReceivedMessage first = only(received, "Schlüssel/🗝");
        assertThat(first.text()).isEqualTo(body);
        assertThat(first.headers()).containsAllEntriesOf(headers);
        assertThat(only(received, "empty").value()).isEmpty();
        assertThat(received).hasSize(2);
    }

    @Test
    default void binaryMessagesArriveIntact() {
        byte[] body = new byte[70_000];
        new Random(1).nextBytes(body);

        send(connect(LONG_TIMEOUT), new Message(UUID.randomUUID(), topic(), "bytes", body, Map.of()))
                .assertAcknowledged(LONG_TIMEOUT);

        assertThat(only(broker().read(topic(), 1), "bytes").value()).isEqualTo(body);
    }

    @Test
    default void messagesSentOneAfterAnotherArriveInOrder() {
        Transport transport = connect(LONG_TIMEOUT);
        List<String> bodies =
                IntStream.range(0, 100).mapToObj(Integer::toString).toList();
        for (String body : bodies) {
            Result other = send(transport, message("other-" + body, body));
            send(transport, message("key", body)).assertAcknowledged(LONG_TIMEOUT);
            other.assertAcknowledged(LONG_TIMEOUT);
        }

        assertThat(bodiesOf("key", broker().read(topic(), 200))).isEqualTo(bodies);
    }

    @Test
    default void messagesOfManyThreadsArriveOnceAndAreReportedOnce() throws Exception {
        Transport transport = connect(LONG_TIMEOUT);
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
            results.forEach(result -> result.assertAcknowledged(LONG_TIMEOUT));

            List<ReceivedMessage> received = broker().read(topic(), results.size());
            assertThat(received)
                    .extracting(ReceivedMessage::key)
                    .containsExactlyInAnyOrderElementsOf(results.stream()
                            .map(result -> result.message().key())
                            .toList());
            assertReportedOnce(results);
        } finally {
            senders.shutdownNow();
        }
    }

    @Test
    default void anOversizedMessageFailsPermanentlyAndTheOthersArrive() {
        assumeCapable(SIZE_LIMIT);
        Transport transport = connect(LONG_TIMEOUT);
        byte[] body = new byte[broker().sizeLimit() + 1];
        new Random(1).nextBytes(body); // random, so that compression does not make it fit

        Result before = send(transport, message("before", "small"));
        Result oversized = send(transport, new Message(UUID.randomUUID(), topic(), "oversized", body, Map.of()));
        Result after = send(transport, message("after", "small"));

        Failure failure = oversized.assertFailed(Kind.PERMANENT, LONG_TIMEOUT);
        assertThat(failure.reason()).contains(oversized.message().id().toString(), topic());
        before.assertAcknowledged(LONG_TIMEOUT);
        after.assertAcknowledged(LONG_TIMEOUT);
        assertThat(broker().read(topic(), 2))
                .extracting(ReceivedMessage::key)
                .containsExactlyInAnyOrder("before", "after");
        assertReportedOnce(List.of(before, oversized, after));
    }

    @Test
    default void anIllegalTopicFailsPermanently() {
        assumeCapable(ILLEGAL_TOPICS);
        Transport transport = connect(LONG_TIMEOUT);
        for (String illegal : broker().illegalTopics()) {
            send(transport, new Message(UUID.randomUUID(), illegal, "key", new byte[1], Map.of()))
                    .assertFailed(Kind.PERMANENT, LONG_TIMEOUT);
        }
        send(transport, message("key", "after")).assertAcknowledged(LONG_TIMEOUT);
    }

    @Test
    default void aMissingTopicFailsItsOwnMessagesOnly() {
        assumeCapable(MISSING_TOPICS);
        Transport transport = connect(LONG_TIMEOUT);
        send(transport, message("first", "")).assertAcknowledged(LONG_TIMEOUT);
        String missing = "missing-" + UUID.randomUUID();

        Result lost = send(transport, new Message(UUID.randomUUID(), missing, "key", new byte[1], Map.of()));
        long start = System.nanoTime();
        send(transport, message("second", "")).assertAcknowledged(LONG_TIMEOUT);
        Duration other = Duration.ofNanos(System.nanoTime() - start);

        assertThat(other).as("time of a message to another topic").isLessThan(Duration.ofSeconds(2));
        Failure failure = lost.assertFailed(Kind.DESTINATION, LONG_TIMEOUT);
        assertThat(failure.reason()).contains(missing);

        broker().createTopic(missing);
        await().atMost(LONG_TIMEOUT)
                .until(() -> send(transport, lost.message()).await(LONG_TIMEOUT).isEmpty());
    }

    @Test
    default void closingWaitsForMessagesInFlight() {
        Transport transport = connect(LONG_TIMEOUT);
        List<Result> results = IntStream.range(0, 200)
                .mapToObj(n -> send(transport, message("key-" + n, "body")))
                .toList();

        transport.close();

        results.forEach(result -> result.assertAcknowledged(Duration.ZERO));
        assertThat(broker().read(topic(), 200)).hasSize(200);
    }

    private static ReceivedMessage only(List<ReceivedMessage> received, String key) {
        List<ReceivedMessage> found =
                received.stream().filter(message -> message.key().equals(key)).toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }
}

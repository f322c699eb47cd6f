package io.waybill.testkit.transport;

import static io.waybill.testkit.transport.BreakableBroker.Capability.DEDUPLICATION;
import static io.waybill.testkit.transport.TransportTests.assertReportedOnce;
import static io.waybill.testkit.transport.TransportTests.bodiesOf;
import static io.waybill.testkit.transport.TransportTests.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.WaybillException;
import io.waybill.transport.Failure.Kind;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A broker that is killed, frozen, slow or unreachable. */
interface OutageTests extends TransportTests {
    @Test
    default void aTransportRecoversFromAKilledBroker() {
        Transport transport = connect(SHORT_TIMEOUT);
        sendFirst(transport, message("key", "before"));
        transport.probe();

        broker().kill();
        long start = System.nanoTime();
        List<Result> lost = IntStream.range(0, 50)
                .mapToObj(n -> send(transport, message("key-" + n, "lost")))
                .toList();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("time of all sends: the timeout must not apply to each of them")
                .isLessThan(SHORT_TIMEOUT);
        lost.forEach(result -> result.assertFailed(Kind.OUTAGE, SHORT_TIMEOUT.plus(SLACK)));
        assertRefusesProbe(transport);

        broker().heal();
        await().atMost(LONG_TIMEOUT).untilAsserted(transport::probe);
        awaitAcknowledged(transport, message("key", "after"));
        lost.stream()
                .map(result -> send(transport, result.message()))
                .toList()
                .forEach(result -> result.assertAcknowledged(SHORT_TIMEOUT.plus(SLACK)));

        List<ReceivedMessage> received = broker().read(topic(), 52);
        assertThat(bodiesOf("key", received)).containsSubsequence("before", "after");
        assertThat(received)
                .extracting(ReceivedMessage::key)
                .containsAll(lost.stream().map(result -> result.message().key()).toList());
        assertReportedOnce(lost);
    }

    @Test
    default void aFrozenBrokerIsAnOutageWithinTheTimeout() {
        Transport transport = connect(SHORT_TIMEOUT);
        sendFirst(transport, message("key", "before"));

        broker().suspend();
        Result lost = send(transport, message("key", "frozen"));
        lost.assertFailed(Kind.OUTAGE, SHORT_TIMEOUT.plus(SLACK));
        assertRefusesProbe(transport);

        broker().heal();
        awaitAcknowledged(transport, lost.message());
        awaitAcknowledged(transport, message("key", "after"));
        // The frozen broker may have received the first copy of the message. Both copies must arrive before the next
        // message.
        assertThat(bodiesOf("key", broker().read(topic(), 3)).stream().distinct())
                .containsExactly("before", "frozen", "after");
        assertReportedOnce(List.of(lost));
    }

    /** Sends more than all buffers on the way hold, so that a write blocks. */
    @Test
    default void aBrokerThatReadsNothingIsAnOutageForAllSendersInBoundedTime() throws Exception {
        int senders = 4;
        Transport transport = connect(SHORT_TIMEOUT);
        sendFirst(transport, message("key", "before"));

        broker().suspend();
        ExecutorService threads = Executors.newFixedThreadPool(senders);
        List<Future<List<Result>>> sending = IntStream.range(0, senders)
                .mapToObj(sender -> threads.submit(() -> IntStream.range(0, 30)
                        .mapToObj(n -> send(transport, message("key-" + sender + "-" + n, "x".repeat(200_000))))
                        .toList()))
                .toList();
        threads.shutdown();
        List<Result> results = new ArrayList<>();
        for (Future<List<Result>> sent : sending) {
            results.addAll(sent.get(SHORT_TIMEOUT.multipliedBy(3).toMillis(), TimeUnit.MILLISECONDS));
        }
        results.forEach(result -> result.assertFailed(Kind.OUTAGE, SHORT_TIMEOUT.plus(SLACK)));

        broker().heal();
        awaitAcknowledged(transport, message("key", "after"));
        assertReportedOnce(results);
    }

    @Test
    default void aLostAcknowledgementIsAnOutageAndSendingAgainIsSafe() {
        Transport transport = connect(SHORT_TIMEOUT);
        sendFirst(transport, message("key", "before"));

        broker().dropAnswers();
        Result unheard = send(transport, message("key", "unheard"));
        unheard.assertFailed(Kind.OUTAGE, SHORT_TIMEOUT.plus(SLACK));

        broker().heal();
        awaitAcknowledged(transport, unheard.message());
        if (broker().capabilities().contains(DEDUPLICATION)) {
            assertThat(bodiesOf("key", broker().read(topic(), 2))).containsExactly("before", "unheard");
        } else {
            assertThat(bodiesOf("key", broker().read(topic(), 3)))
                    .startsWith("before", "unheard", "unheard")
                    .containsOnly("before", "unheard");
        }
        assertReportedOnce(List.of(unheard));
    }

    @Test
    default void aSlowBrokerIsNoOutage() {
        Transport transport = connect(LONG_TIMEOUT);
        sendFirst(transport, message("key", "before"));

        broker().slowDown(Duration.ofMillis(300));
        List<Result> slow = IntStream.range(0, 200)
                .mapToObj(n -> send(transport, message("key-" + n, "slow")))
                .toList();
        slow.forEach(result -> result.assertAcknowledged(LONG_TIMEOUT));

        assertThat(broker().read(topic(), 201))
                .as("messages, none of them sent twice")
                .hasSize(201);
        assertReportedOnce(slow);
    }

    @Test
    default void withTheBrokerDownATransportCanBeBuiltUsedAndClosedInBoundedTime() {
        broker().kill();
        Transport transport = connect(SHORT_TIMEOUT);
        assertRefusesProbe(transport);
        send(transport, message("key", "early")).assertFailed(Kind.OUTAGE, SHORT_TIMEOUT.plus(SLACK));

        List<Result> pending = IntStream.range(0, 20)
                .mapToObj(n -> send(transport, message("key-" + n, "pending")))
                .toList();
        long start = System.nanoTime();
        transport.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SHORT_TIMEOUT.plus(SLACK));

        pending.forEach(result -> result.assertFailed(Kind.OUTAGE, Duration.ZERO));
        assertReportedOnce(pending);
        send(transport, message("key", "late")).assertFailed(Kind.OUTAGE, SHORT_TIMEOUT);
    }

    /** Sends to a topic that does not exist yet. On a busy machine, creating it takes longer than {@link #SHORT_TIMEOUT}. */
    private static void sendFirst(Transport transport, Message message) {
        awaitAcknowledged(transport, message);
    }

    /** Repeats the message until it is acknowledged, as a relay does after an outage. */
    private static void awaitAcknowledged(Transport transport, Message message) {
        await().atMost(LONG_TIMEOUT)
                .pollDelay(Duration.ZERO)
                .untilAsserted(() -> send(transport, message).assertAcknowledged(SHORT_TIMEOUT.plus(SLACK)));
    }

    private static void assertRefusesProbe(Transport transport) {
        long start = System.nanoTime();
        assertThatThrownBy(transport::probe).isInstanceOf(WaybillException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
}

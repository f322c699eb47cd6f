package io.waybill.rabbitmq;

import static io.waybill.testkit.transport.BreakableRabbit.SIZE_LIMIT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.WaybillException;
import io.waybill.testkit.transport.BreakableRabbit;
import io.waybill.testkit.transport.ReceivedMessage;
import io.waybill.testkit.transport.Result;
import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that RabbitMQ rejects, and how each rejection is reported. */
class RabbitRefusalTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final Duration HASTY = Duration.ofSeconds(4);

    private final BreakableRabbit rabbit = broker();
    private final String topic = "refusal-" + UUID.randomUUID();
    private Transport transport = RabbitTransport.to(rabbit.address());

    BreakableRabbit broker() {
        return BreakableRabbit.shared(RabbitTransportTest::connect);
    }

    @BeforeEach
    void createTopic() {
        rabbit.createTopic(topic);
        send("first", "1").assertAcknowledged(LIMIT);
    }

    @AfterEach
    void close() {
        transport.close();
        rabbit.heal();
    }

    @Test
    void messagesArePersistentAndCarryTheEventsId() {
        Result sent = send("key", "2");
        sent.assertAcknowledged(LIMIT);
        ReceivedMessage received = rabbit.read(topic, 2).get(1);
        assertThat(received.headers())
                .containsEntry("delivery-mode", "2")
                .containsEntry("message-id", sent.message().id().toString())
                .containsEntry("aggregate-id", "key");
    }

    /** A full queue is neither a broker outage nor the event's fault: it uses no attempt, and other topics continue. */
    @Test
    void aFullQueueThatRefusesIsAnOutageOfItsTopicOnly() {
        String full = "full-" + UUID.randomUUID();
        rabbit.createQueue(full, full, Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
        Message fits = message(full, "fits");
        send(fits).assertAcknowledged(LIMIT);

        Result refused = send(message(full, "refused"));
        Result other = send("other", "goes on");
        assertThat(refused.assertFailed(Kind.OUTAGE, LIMIT).reason()).contains(full, "full");
        other.assertAcknowledged(LIMIT);
        transport.probe();

        rabbit.with(channel -> channel.queuePurge(full));
        send(refused.message()).assertAcknowledged(LIMIT);
    }

    /** The broker closes the channel without naming the message; its limit is lower than the configured one. */
    @Test
    void aBodyAboveTheBrokersOwnLimitIsFoundAndLaterOnesAreNotSent() {
        byte[] large = new byte[SIZE_LIMIT + 1];
        Result before = send("before", "small");
        Result oversized = send(new Message(UUID.randomUUID(), topic, "large", large, Map.of()));
        Result after = send("after", "small");

        assertThat(oversized.assertFailed(Kind.PERMANENT, LIMIT).reason()).contains("message size");
        for (Result innocent : List.of(before, after)) {
            Optional<Failure> failure = innocent.await(LIMIT);
            assertThat(failure.map(Failure::kind).orElse(Kind.ABANDONED)).isEqualTo(Kind.ABANDONED);
            send(innocent.message()).assertAcknowledged(LIMIT);
        }
        int connections = rabbit.connections();
        Result again = send(new Message(UUID.randomUUID(), topic, "large", large, Map.of()));
        assertThat(again.assertFailed(Kind.PERMANENT, LIMIT).reason()).contains("at most " + SIZE_LIMIT);
        send("last", "small").assertAcknowledged(LIMIT);
        assertThat(rabbit.connections()).as("the connection stayed open").isEqualTo(connections);
    }

    @Test
    void headersLargerThanAFrameFailPermanently() {
        Message wide = new Message(
                UUID.randomUUID(), topic, "key", new byte[1], Map.of("a", "x".repeat(80_000), "b", "y".repeat(80_000)));
        assertThat(send(wide).assertFailed(Kind.PERMANENT, LIMIT).reason()).contains("headers", "frame");
        Message longName = new Message(UUID.randomUUID(), topic, "key", new byte[1], Map.of("ü".repeat(200), "value"));
        assertThat(send(longName).assertFailed(Kind.PERMANENT, LIMIT).reason()).contains("header");
        send("key", "after").assertAcknowledged(LIMIT);
    }

    @Test
    void aDeletedExchangeIsAnOutageAndIsCreatedAgain() {
        String exchange = "vanishing-" + UUID.randomUUID();
        try (Transport own =
                RabbitTransport.builder(rabbit.address()).exchange(exchange).build()) {
            assertThat(send(own, message(topic, "unbound"))
                            .assertFailed(Kind.DESTINATION, LIMIT)
                            .reason())
                    .contains("no queue is bound", exchange, topic);
            rabbit.with(channel -> channel.exchangeDelete(exchange));
            send(own, message(topic, "lost")).assertFailed(Kind.OUTAGE, LIMIT);
            own.probe();
            rabbit.with(channel -> channel.queueBind(topic, exchange, "#"));
            send(own, message(topic, "found")).assertAcknowledged(LIMIT);
        }
    }

    @Test
    void withoutAnExchangeATopicIsTheNameOfAQueue() {
        try (Transport direct =
                RabbitTransport.builder(rabbit.address()).exchange("").build()) {
            direct.probe();
            send(direct, message(topic, "direct")).assertAcknowledged(LIMIT);
            send(direct, message("no-such-queue", "lost")).assertFailed(Kind.DESTINATION, LIMIT);
        }
        assertThat(rabbit.read(topic, 2)).extracting(ReceivedMessage::text).containsExactly("1", "direct");
    }

    /** RabbitMQ runs low on memory and stops reading from publishers until the alarm clears. */
    @Test
    void aBlockedConnectionIsAnOutageWithinTheTimeout() {
        transport.close();
        transport = rabbit.connect(HASTY);
        send("key", "before").assertAcknowledged(LIMIT);
        rabbit.server().control("set_vm_memory_high_watermark", "0.00001");
        try {
            await().atMost(LIMIT).untilAsserted(() -> {
                Optional<Failure> failure =
                        send("probe-" + UUID.randomUUID(), "blocked").await(LIMIT);
                assertThat(failure.map(Failure::kind)).contains(Kind.OUTAGE);
                assertThat(failure.orElseThrow().reason()).contains("blocks publishers");
            });
            assertThatThrownBy(transport::probe)
                    .isInstanceOf(WaybillException.class)
                    .hasMessageContaining("blocks publishers");
        } finally {
            rabbit.server().control("set_vm_memory_high_watermark", "0.6");
        }
        await().atMost(LIMIT).untilAsserted(transport::probe);
        await().atMost(LIMIT).until(() -> send("key", "after").await(LIMIT).isEmpty());
    }

    @Test
    void theDiagnosisListsQueuesAndBindings() {
        String exchange = "diagnosed-" + UUID.randomUUID();
        try (RabbitTransport own =
                RabbitTransport.builder(rabbit.address()).exchange(exchange).build()) {
            own.probe();
            rabbit.createQueue(exchange + "-quorum", "nothing", Map.of("x-queue-type", "quorum"));
            rabbit.with(channel -> channel.queueBind(exchange + "-quorum", exchange, "order.*"));
            rabbit.with(channel -> channel.queueBind(topic, exchange, "#.placed"));
            await().atMost(LIMIT).untilAsserted(() -> {
                RabbitDiagnosis diagnosis = own.diagnose(rabbit.server().managementUrl());
                assertThat(diagnosis.queues())
                        .containsExactlyInAnyOrderEntriesOf(Map.of(exchange + "-quorum", "quorum", topic, "classic"));
                assertThat(diagnosis.queuesOf("order.placed")).containsExactlyInAnyOrder(exchange + "-quorum", topic);
                assertThat(diagnosis.queuesOf("order.paid")).containsExactly(exchange + "-quorum");
                assertThat(diagnosis.queuesOf("mail.sent")).isEmpty();
            });
            assertThatThrownBy(() -> own.diagnose("http://127.0.0.1:1"))
                    .isInstanceOf(WaybillException.class)
                    .hasMessageContaining("127.0.0.1:1");
        }
    }

    @Test
    void whenOneNodeIsDownTheNextOneIsTried() {
        String nodes = rabbit.address().replace("127.0.0.1", "127.0.0.1:1,127.0.0.1");
        try (Transport cluster = RabbitTransport.to(nodes)) {
            cluster.probe();
            send(cluster, message(topic, "found")).assertAcknowledged(LIMIT);
        }
    }

    @Test
    void aWrongPasswordOrVhostIsReported() {
        String url = rabbit.address().replace("//", "//guest:wrong@");
        try (Transport stranger = RabbitTransport.to(url)) {
            assertThatThrownBy(stranger::probe)
                    .isInstanceOf(WaybillException.class)
                    .hasMessageContaining("rejects the login of user guest")
                    .hasMessageNotContaining("wrong");
            assertThat(send(stranger, message(topic, "x"))
                            .assertFailed(Kind.OUTAGE, LIMIT)
                            .reason())
                    .contains("rejects the login");
        }
        try (Transport elsewhere = RabbitTransport.to(rabbit.address() + "/no-such-vhost")) {
            assertThatThrownBy(elsewhere::probe).hasMessageContaining("no-such-vhost");
        }
    }

    private Result send(String key, String body) {
        return send(new Message(UUID.randomUUID(), topic, key, body.getBytes(UTF_8), Map.of()));
    }

    private Result send(Message message) {
        return send(transport, message);
    }

    private static Result send(Transport transport, Message message) {
        Result result = new Result(message);
        transport.send(message, result);
        return result;
    }

    private static Message message(String topic, String body) {
        return new Message(UUID.randomUUID(), topic, "key", body.getBytes(UTF_8), Map.of());
    }
}

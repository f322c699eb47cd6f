package io.waybill.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.testkit.transport.BreakableKafka;
import io.waybill.testkit.transport.ReceivedMessage;
import io.waybill.testkit.transport.Result;
import io.waybill.testkit.transport.SendInOrderContract;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaSendInOrderTest extends SendInOrderContract {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    @TempDir
    static Path folder;

    @Override
    protected BreakableBroker startBroker() {
        return new BreakableKafka(folder, KafkaTransportTest::connect);
    }

    /**
     * The transport still has the topic's old limit in its cache, so it sends the large record with the others, and the broker rejects it.
     * The records need several requests; those behind the rejected record must not arrive.
     */
    @Test
    void noRecordOvertakesOneThatTheBrokerRejects() {
        BreakableKafka kafka = (BreakableKafka) broker();
        String topic = "refused-" + UUID.randomUUID();
        kafka.createTopic(topic, Map.of("max.message.bytes", "250000"));
        try (KafkaTransport transport = KafkaTransport.builder(kafka.address())
                .sendTimeout(Duration.ofSeconds(12))
                .build()) {
            awaitLine(transport, topic);
            kafka.withAdmin(admin -> admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, topic),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("max.message.bytes", "100000"), AlterConfigOp.OpType.SET))))
                    .all());

            Random random = new Random(1);
            List<Result> line = IntStream.range(0, 200)
                    .mapToObj(n -> message(topic, n, random, n == 120 ? 150_000 : 5_000))
                    .map(Result::new)
                    .toList();
            int taken = transport.sendInOrder(line.stream().map(Result::message).toList(), List.<Delivery>copyOf(line));
            assertThat(taken).isEqualTo(line.size());

            int through = 0;
            while (through < 200 && line.get(through).await(LIMIT).isEmpty()) {
                through++;
            }
            assertThat(through)
                    .as("the rejected record and those behind it fail")
                    .isLessThanOrEqualTo(120);
            for (Result behind : line.subList(through, 200)) {
                assertThat(behind.await(LIMIT).map(Failure::kind).orElseThrow())
                        .isIn(Failure.Kind.ABANDONED, Failure.Kind.OUTAGE);
            }
            // When this record has arrived, all earlier ones that were in flight have arrived too.
            Result marker = new Result(message(topic, 1_000, random, 10));
            transport.send(marker.message(), marker);
            marker.assertAcknowledged(LIMIT);
            List<ReceivedMessage> received = kafka.read(topic, through + 3);
            assertThat(received.stream()
                            .filter(message -> message.key().equals("key"))
                            .map(KafkaSendInOrderTest::number)
                            .filter(n -> n < 1_000))
                    .containsExactlyElementsOf(
                            IntStream.range(0, through).boxed().toList());
        }
    }

    /** The producer for ordered sends starts at the first one; until then messages are sent one by one. */
    private static void awaitLine(KafkaTransport transport, String topic) {
        Awaitility.await().atMost(LIMIT).until(() -> {
            List<Result> pair = IntStream.range(0, 2)
                    .mapToObj(n -> new Result(new Message(UUID.randomUUID(), topic, "warm", new byte[1], Map.of())))
                    .toList();
            int taken = transport.sendInOrder(pair.stream().map(Result::message).toList(), List.<Delivery>copyOf(pair));
            pair.subList(0, taken).forEach(result -> result.assertAcknowledged(LIMIT));
            return taken == 2;
        });
    }

    private static Message message(String topic, int number, Random random, int size) {
        byte[] body = new byte[size + 6];
        random.nextBytes(body);
        System.arraycopy("%06d".formatted(number).getBytes(StandardCharsets.US_ASCII), 0, body, 0, 6);
        return new Message(UUID.randomUUID(), topic, "key", body, Map.of());
    }

    private static int number(ReceivedMessage message) {
        return Integer.parseInt(new String(message.value(), 0, 6, StandardCharsets.US_ASCII));
    }
}

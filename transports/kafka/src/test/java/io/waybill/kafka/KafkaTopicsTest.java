package io.waybill.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.transport.BreakableKafka;
import io.waybill.testkit.transport.ReceivedMessage;
import io.waybill.testkit.transport.Result;
import io.waybill.testkit.transport.TopicReader;
import io.waybill.transport.Failure;
import io.waybill.transport.Failure.Kind;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An error of one topic does not affect other topics. */
class KafkaTopicsTest {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    @TempDir
    static Path folder;

    private static BreakableKafka kafka;
    private final String topic = "topic-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        kafka = new BreakableKafka(folder, KafkaTransportTest::connect);
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    @Test
    void aDeletedTopicIsNoOutage() {
        kafka.createTopic(topic);
        String other = topic + "-other";
        kafka.createTopic(other);
        try (Transport transport = kafka.connect(Duration.ofSeconds(6))) {
            send(transport, message(topic, "before")).assertAcknowledged(LIMIT);
            send(transport, message(other, "before")).assertAcknowledged(LIMIT);

            kafka.deleteTopic(topic);
            Result lost = send(transport, message(topic, "deleted"));
            send(transport, message(other, "meanwhile")).assertAcknowledged(LIMIT);

            Failure failure = lost.assertFailed(Kind.DESTINATION, LIMIT);
            assertThat(failure.reason()).contains(topic).contains("Create the topic");
        }
    }

    @Test
    void missingTopicsDoNotBlockTheSendingThread() {
        kafka.createTopic(topic);
        try (Transport transport = kafka.connect(Duration.ofSeconds(6))) {
            send(transport, message(topic, "warm")).assertAcknowledged(LIMIT);
            long start = System.nanoTime();
            List<Result> lost = IntStream.range(0, 100)
                    .mapToObj(n -> send(transport, message("missing-" + n % 10 + "-" + topic, "lost")))
                    .toList();
            send(transport, message(topic, "through")).assertAcknowledged(LIMIT);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(900));
            lost.forEach(result -> result.assertFailed(Kind.DESTINATION, LIMIT));
        }
    }

    @Test
    void aForbiddenTopicFailsUntilItIsAllowed() {
        kafka.createTopic(topic);
        AclBinding denied = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:*", "*", AclOperation.WRITE, AclPermissionType.DENY));
        kafka.withAdmin(admin -> admin.createAcls(List.of(denied)).all());
        try (Transport transport = kafka.connect(Duration.ofSeconds(6))) {
            Failure failure = send(transport, message(topic, "denied")).assertFailed(Kind.DESTINATION, LIMIT);
            assertThat(failure.reason()).contains("Allow the relay's user");

            kafka.withAdmin(
                    admin -> admin.deleteAcls(List.of(denied.toFilter())).all());
            await().atMost(LIMIT)
                    .until(() -> send(transport, message(topic, "allowed"))
                            .await(LIMIT)
                            .isEmpty());
        }
    }

    @Test
    void aRecordThatFitsWhenCompressedIsSent() {
        kafka.createTopic(topic, Map.of("max.message.bytes", "100000"));
        try (Transport transport = kafka.connect(LIMIT)) {
            send(transport, message(topic, "long, but of one letter ".repeat(10_000)))
                    .assertAcknowledged(LIMIT);
        }
        assertThat(kafka.read(topic, 1)).hasSize(1);
    }

    @Test
    void withoutCompressionTheTopicsLimitIsKnownBeforeSending() {
        kafka.createTopic(topic, Map.of("max.message.bytes", "100000"));
        try (Transport transport = KafkaTransport.builder(kafka.address())
                .setting("compression.type", "none")
                .build()) {
            Message large = message(topic, "x".repeat(100_000));
            Failure failure = send(transport, large).assertFailed(Kind.PERMANENT, LIMIT);
            assertThat(failure.reason())
                    .contains(large.id().toString(), "the topic's limit of 100000 (max.message.bytes)", "raise");

            setLimit(topic, 200_000);
            await().atMost(LIMIT)
                    .until(() -> send(transport, large).await(LIMIT).isEmpty());
        }
    }

    @Test
    void theClientsOwnLimitIsKnownBeforeSending() {
        try (KafkaTransport nowhere = KafkaTransport.to("127.0.0.1:1")) {
            Failure failure =
                    send(nowhere, message(topic, "x".repeat(1_048_576))).assertFailed(Kind.PERMANENT, LIMIT);
            assertThat(failure.reason()).contains("1048576", "max.request.size", "Make the payload smaller");
        }
    }

    @Test
    void anOversizedRecordDoesNotAffectOthersInItsBatch() {
        kafka.createTopic(topic, Map.of("max.message.bytes", "50000"));
        byte[] noise = new byte[60_000];
        new Random(1).nextBytes(noise);
        try (KafkaTransport transport = KafkaTransport.builder(kafka.address())
                .setting("linger.ms", 200)
                .build()) {
            List<Result> results = IntStream.range(0, 100)
                    .mapToObj(n -> new Message(
                            UUID.randomUUID(), topic, "key-" + n, n % 10 == 3 ? noise : new byte[2_000], Map.of()))
                    .map(message -> send(transport, message))
                    .toList();
            for (int n = 0; n < results.size(); n++) {
                if (n % 10 == 3) {
                    Failure failure = results.get(n).assertFailed(Kind.PERMANENT, LIMIT);
                    assertThat(failure.reason()).contains("limit of 50000", "even when compressed");
                } else {
                    results.get(n).assertAcknowledged(LIMIT);
                }
            }
        }
        assertThat(kafka.read(topic, 90)).extracting(ReceivedMessage::key).doesNotHaveDuplicates();
    }

    @Test
    void aTopicWithATinyLimitTakesManySmallRecords() {
        kafka.createTopic(topic, Map.of("max.message.bytes", "5000"));
        Random random = new Random(1);
        try (KafkaTransport transport = KafkaTransport.builder(kafka.address())
                .setting("linger.ms", 200)
                .build()) {
            List<Result> results = IntStream.range(0, 100)
                    .mapToObj(n -> {
                        byte[] noise = new byte[2_000];
                        random.nextBytes(noise);
                        return send(transport, new Message(UUID.randomUUID(), topic, "key-" + n, noise, Map.of()));
                    })
                    .toList();
            results.forEach(result -> result.assertAcknowledged(LIMIT));
        }
        assertThat(kafka.read(topic, 100)).hasSize(100);
    }

    @Test
    void aMissingTopicIsCreatedIfTheBrokerAllowsIt() {
        try (KafkaTransport transport = KafkaTransport.to(SharedServers.kafka().bootstrapServers())) {
            send(transport, message(topic, "first")).assertAcknowledged(LIMIT);
        }
        assertThat(TopicReader.read(SharedServers.kafka().bootstrapServers(), topic, 1))
                .hasSize(1);
    }

    @Test
    void theDiagnosisReportsTheBrokersSettings() {
        kafka.createTopic(topic, Map.of("max.message.bytes", "123456"));
        try (KafkaTransport transport = KafkaTransport.to(kafka.address())) {
            KafkaDiagnosis found = transport.diagnose(List.of(topic, "missing-" + topic));

            assertThat(found.clusterId()).isNotBlank();
            assertThat(found.brokers()).containsExactly(kafka.address());
            assertThat(found.controller()).hasValue(1);
            assertThat(found.maxMessageBytes()).hasValue(BreakableKafka.SIZE_LIMIT);
            assertThat(found.minInsyncReplicas()).hasValue(1);
            assertThat(found.autoCreateTopics()).contains(false);
            assertThat(found.topics()).extracting(KafkaDiagnosis.Topic::exists).containsExactly(true, false);
            assertThat(found.topics().get(0).partitions()).isEqualTo(3);
            assertThat(found.topics().get(0).maxMessageBytes()).hasValue(123456);
        }
    }

    private static void setLimit(String topic, int bytes) {
        ConfigEntry entry = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
        kafka.withAdmin(admin -> admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
                .all());
    }

    private static Message message(String topic, String body) {
        return new Message(UUID.randomUUID(), topic, "key", body.getBytes(UTF_8), Map.of());
    }

    private static Result send(Transport transport, Message message) {
        Result result = new Result(message);
        transport.send(message, result);
        return result;
    }
}

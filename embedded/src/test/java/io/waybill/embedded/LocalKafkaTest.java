package io.waybill.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
final class LocalKafkaTest {

    @TempDir
    Path folder;

    @Test
    void recordsSurviveAKillAndANewStartOnTheFolder() throws Exception {
        String address;
        try (LocalKafka kafka = LocalKafka.start(folder)) {
            address = kafka.bootstrapServers();
            produce(kafka, "before the kill");
            long killed = kafka.pid();

            kafka.kill();
            assertThat(kafka.running()).isFalse();
            assertThat(ServerProcess.find(killed)).isEmpty();
            kafka.restart();

            assertThat(kafka.bootstrapServers()).isEqualTo(address);
            produce(kafka, "after the kill");
        }
        try (LocalKafka kafka = LocalKafka.start(folder)) {
            assertThat(kafka.bootstrapServers()).isEqualTo(address);
            assertThat(consume(kafka, 2)).containsExactlyInAnyOrder("before the kill", "after the kill");
        }
    }

    @Test
    void aSuspendedBrokerAnswersOnlyAfterItIsResumed() throws Exception {
        try (LocalKafka kafka = LocalKafka.builder(folder).partitions(5).start();
                Admin admin = Admin.create(Map.of(
                        "bootstrap.servers", kafka.bootstrapServers(),
                        "request.timeout.ms", 1_000,
                        "default.api.timeout.ms", 1_000))) {
            produce(kafka, "x");
            kafka.suspend();
            assertThatThrownBy(() -> admin.describeCluster().nodes().get()).hasMessageContaining("Timeout");

            kafka.resume();

            await().atMost(Duration.ofMinutes(4))
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(admin.describeTopics(Set.of("parcels"))
                                    .allTopicNames()
                                    .get()
                                    .values())
                            .singleElement()
                            .satisfies(topic -> assertThat(topic.partitions()).hasSize(5)));
        }
    }

    @Test
    void anInterruptFromTheTerminalLeavesTheBrokerToItsParent() throws Exception {
        try (LocalKafka kafka = LocalKafka.start(folder)) {
            ServerProcess.find(kafka.pid()).orElseThrow().interrupt();

            produce(kafka, "still here");
            assertThat(kafka.running()).isTrue();
        }
    }

    @Test
    void theBrokerEndsWhenItsParentIsKilled() throws Exception {
        Process owner = OwnerProgram.run(Map.of(), "kafka", folder.toString(), "stay");
        long orphan = OwnerProgram.serverPid(owner);

        owner.destroyForcibly().waitFor();

        await().atMost(Duration.ofMinutes(4))
                .untilAsserted(() -> assertThat(ServerProcess.find(orphan)).isEmpty());
    }

    @Test
    void aBrokerLeftSuspendedByAHaltedJvmIsEndedByTheNextStart() throws Exception {
        Process owner = OwnerProgram.run(Map.of(), "kafka", folder.toString(), "suspend");
        long orphan = OwnerProgram.serverPid(owner);
        owner.waitFor();
        assertThat(ServerProcess.find(orphan)).isPresent();

        try (LocalKafka kafka = LocalKafka.start(folder)) {
            assertThat(ServerProcess.find(orphan)).isEmpty();
            assertThat(kafka.running()).isTrue();
        }
    }

    @Test
    void aFailedStartShowsTheLogAndFreesTheFolder() {
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> LocalKafka.builder(folder)
                            .setting("num.partitions", "several")
                            .start())
                    .isInstanceOf(LocalServerException.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("several");
        }
    }

    private static void produce(LocalKafka kafka, String value) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrapServers(), "acks", "all");
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>("parcels", value)).get(4, TimeUnit.MINUTES);
        }
    }

    private static List<String> consume(LocalKafka kafka, int count) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", "readers", "auto.offset.reset", "earliest");
        List<String> values = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(Set.of("parcels"));
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (values.size() < count && System.nanoTime() < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(message -> values.add(message.value()));
            }
        }
        return values;
    }
}

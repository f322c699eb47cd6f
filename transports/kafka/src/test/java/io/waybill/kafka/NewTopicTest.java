package io.waybill.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.transport.Result;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;

/**
 * Records to a topic that was created a moment ago. A broker learns of its new partitions one by one. If a partition refuses the first
 * request of a producer and accepts its second one, it expects the sequence numbers after those of the second, and refuses the first
 * again until it expires.
 */
class NewTopicTest {
    private static final int TOPICS = 20;
    private static final int PARTITIONS = 40;
    private static final int RECORDS = 2_000;

    @Test
    void theFirstRecordsAreAccepted() throws Exception {
        String servers = SharedServers.kafka().bootstrapServers();
        List<String> refused = new ArrayList<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers));
                Transport transport =
                        KafkaTransport.builder(servers).setting("linger.ms", 0).build()) {
            for (int round = 0; round < TOPICS; round++) {
                String topic = "new-" + UUID.randomUUID();
                admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                        .all()
                        .get(4, TimeUnit.MINUTES);
                List<Result> results = new ArrayList<>();
                for (int key = 0; key < RECORDS; key++) {
                    Message message =
                            new Message(UUID.randomUUID(), topic, "key-" + key, "payload".getBytes(UTF_8), Map.of());
                    Result result = new Result(message);
                    transport.send(message, result);
                    results.add(result);
                }
                results.forEach(result ->
                        result.await(Duration.ofSeconds(20)).ifPresent(failure -> refused.add(failure.reason())));
            }
        }
        assertThat(refused).isEmpty();
    }
}

package io.waybill.examples.logistics;

import io.waybill.testkit.servers.SharedServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The messages that consumers of the orders have received so far, in the order of each key. */
final class OrderTopic implements AutoCloseable {
    static final String NAME = "logistics.order";

    private static final JsonMapper JSON = new JsonMapper();

    private final List<Received> received = new ArrayList<>();
    private final KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
            Map.of(
                    "bootstrap.servers",
                    SharedServers.kafka().bootstrapServers(),
                    "group.id",
                    "test-" + UUID.randomUUID(),
                    "auto.offset.reset",
                    "earliest",
                    "metadata.max.age.ms",
                    "500"),
            new StringDeserializer(),
            new StringDeserializer());

    OrderTopic() {
        consumer.subscribe(List.of(NAME));
    }

    record Received(UUID key, String type, UUID tenant, JsonNode body) {
        UUID messageId() {
            return UUID.fromString(body.path("messageId").asString());
        }
    }

    /** Reads what has arrived, and returns the messages about these orders. */
    List<Received> of(Collection<UUID> orders) {
        for (ConsumerRecord<String, String> message : consumer.poll(Duration.ofMillis(200))) {
            received.add(new Received(
                    UUID.fromString(message.key()),
                    header(message, "event-type"),
                    UUID.fromString(header(message, "tenant-id")),
                    JSON.readTree(message.value())));
        }
        return received.stream().filter(one -> orders.contains(one.key())).toList();
    }

    private static String header(ConsumerRecord<String, String> message, String name) {
        return new String(message.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        consumer.close();
    }
}

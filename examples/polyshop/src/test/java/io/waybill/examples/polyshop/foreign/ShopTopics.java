package io.waybill.examples.polyshop.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.examples.polyshop.service.Json;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Writes events of other services, and reads what was published. */
public final class ShopTopics implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final String broker = SharedServers.kafka().bootstrapServers();
    private final KafkaProducer<String, String> producer =
            new KafkaProducer<>(Map.of("bootstrap.servers", broker), new StringSerializer(), new StringSerializer());
    private final KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    private final List<Published> read = new ArrayList<>();

    /** A record. Its text is the JSON as received. */
    public record Published(String topic, @Nullable String key, Map<String, String> headers, String text) {
        public JsonNode json() {
            return Json.tree(text);
        }

        public JsonNode data() {
            return json().path("data");
        }

        public String eventId() {
            return json().path("eventId").asString();
        }
    }

    /** Reads these topics from their beginning; creates those that are absent. */
    public ShopTopics(List<String> topics) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker))) {
            for (String topic : topics) {
                create(admin, topic);
            }
        }
        List<TopicPartition> partitions = topics.stream()
                .flatMap(topic -> consumer.partitionsFor(topic).stream())
                .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    private static void create(Admin admin, String topic) {
        try {
            admin.createTopics(List.of(new NewTopic(topic, 3, (short) 1))).all().get(2, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new IllegalStateException(e);
            }
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes an event with a new id. */
    public String send(String topic, String source, String key, Map<String, String> headers, Map<String, ?> data) {
        String eventId = UUID.randomUUID().toString();
        send(topic, key, headers, envelope(eventId, topic, source, data));
        return eventId;
    }

    public static String envelope(String eventId, String topic, String source, Map<String, ?> data) {
        return Json.write(Map.of(
                "eventId", eventId,
                "timestamp", "2026-01-01T00:00:00Z",
                "eventType", topic,
                "version", 1,
                "source", source,
                "data", data,
                "metadata", Map.of("traceId", eventId, "correlationId", eventId)));
    }

    public void send(String topic, String key, Map<String, String> headers, String text) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, key, text);
        headers.forEach((name, value) -> record.headers().add(name, value.getBytes(UTF_8)));
        try {
            producer.send(record).get(2, TimeUnit.MINUTES);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for a record. */
    public Published await(String topic, Predicate<Published> wanted) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            List<Published> found = find(topic, wanted);
            if (!found.isEmpty()) {
                return found.get(0);
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("There is no such record on " + topic + ". Read: " + read);
            }
            poll();
        }
    }

    /** The records of a topic in the order of their partitions, as far as they were read. */
    public List<Published> find(String topic, Predicate<Published> wanted) {
        return read.stream()
                .filter(published -> published.topic().equals(topic) && wanted.test(published))
                .toList();
    }

    /** Reads everything that is on the topics now. */
    public void readToEnd() {
        Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            if (System.nanoTime() > limit) {
                throw new AssertionError("The topics cannot be read to their ends.");
            }
            poll();
        }
    }

    private void poll() {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> {
            Map<String, String> headers = new HashMap<>();
            record.headers().forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
            String key = record.key() == null ? null : new String(record.key(), UTF_8);
            read.add(new Published(record.topic(), key, headers, new String(record.value(), UTF_8)));
        });
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
        consumer.close();
    }
}

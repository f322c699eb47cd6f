package io.waybill.examples.polyshop.launcher;

import io.waybill.examples.polyshop.service.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Reads all topics of the shop, for the page: counts, dead letters and a stream of events. */
public final class TopicWatch implements AutoCloseable {
    private static final Pattern TOPICS =
            Pattern.compile("(auth|product|inventory|order|payment|notification|search|analytics)\\..*");
    private static final int MOST_DEAD_LETTERS = 50;
    private static final int MOST_WAITING = 500;

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread reader;
    private final Map<String, Long> counts = new TreeMap<>();
    private final Deque<Map<String, Object>> deadLetters = new ArrayDeque<>();
    private final Set<BlockingQueue<String>> subscribers = ConcurrentHashMap.newKeySet();

    private TopicWatch(String broker) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", broker);
        settings.put("group.id", "page-" + UUID.randomUUID());
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "earliest");
        settings.put("metadata.max.age.ms", "2000");
        consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(TOPICS);
        reader = new Thread(this::read, "topic-watch");
        reader.setDaemon(true);
    }

    public static TopicWatch start(String broker) {
        TopicWatch watch = new TopicWatch(broker);
        watch.reader.start();
        return watch;
    }

    private void read() {
        try (consumer) {
            while (!Thread.currentThread().isInterrupted()) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                    seen(record);
                }
            }
        } catch (WakeupException closing) {
            // close() woke the consumer
        }
    }

    private void seen(ConsumerRecord<byte[], byte[]> record) {
        JsonNode envelope = envelope(record);
        synchronized (this) {
            counts.merge(record.topic(), 1L, Long::sum);
            if (record.topic().endsWith(Topics.DEAD)) {
                deadLetters.addFirst(deadLetter(record, envelope));
                if (deadLetters.size() > MOST_DEAD_LETTERS) {
                    deadLetters.removeLast();
                }
            }
        }
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("service", envelope.path("source").asString(header(record, "source")));
        event.put("topic", record.topic());
        event.put("key", key(record));
        event.put("eventId", envelope.path("eventId").asString(""));
        event.put("traceId", traceId(header(record, "traceparent")));
        event.put("time", Instant.ofEpochMilli(record.timestamp()).toString());
        String json = Json.write(event);
        subscribers.forEach(queue -> {
            if (!queue.offer(json)) {
                queue.clear(); // a browser that reads too slowly misses events
            }
        });
    }

    private static JsonNode envelope(ConsumerRecord<byte[], byte[]> record) {
        try {
            return Json.tree(record.value() == null ? "null" : new String(record.value(), StandardCharsets.UTF_8));
        } catch (JacksonException e) {
            return Json.tree("null"); // a message that no service can read is shown as well
        }
    }

    private static Map<String, Object> deadLetter(ConsumerRecord<byte[], byte[]> record, JsonNode body) {
        Map<String, Object> letter = new LinkedHashMap<>();
        letter.put("topic", record.topic());
        letter.put("key", key(record));
        letter.put("eventId", body.path("eventId").asString(""));
        letter.put("consumerService", body.path("consumerService").asString(""));
        letter.put("errorMessage", body.path("errorMessage").asString(""));
        letter.put("failedAt", body.path("failedAt").asString(""));
        return letter;
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }

    /** Returns the trace id of a {@code traceparent}; null if there is none. */
    static @Nullable String traceId(String traceparent) {
        return traceparent.matches("[0-9a-f]{2}-[0-9a-f]{32}-.*") ? traceparent.substring(3, 35) : null;
    }

    synchronized List<Map<String, Object>> counts() {
        List<Map<String, Object>> all = new ArrayList<>();
        counts.forEach((topic, count) -> all.add(Map.of("topic", topic, "events", count)));
        return all;
    }

    synchronized List<Map<String, Object>> deadLetters() {
        return List.copyOf(deadLetters);
    }

    BlockingQueue<String> subscribe() {
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(MOST_WAITING);
        subscribers.add(queue);
        return queue;
    }

    void unsubscribe(BlockingQueue<String> queue) {
        subscribers.remove(queue);
    }

    @Override
    public void close() {
        consumer.wakeup();
        try {
            reader.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.waybill.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a whole topic with Kafka's plain consumer. */
public final class TopicReader {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private TopicReader() {}

    /** As {@link BreakableBroker#read}. */
    public static List<ReceivedMessage> read(String bootstrapServers, String topic, int expectedCount) {
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.CLIENT_ID_CONFIG,
                "reader-" + UUID.randomUUID(),
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class);
        List<ReceivedMessage> received = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < end && (received.size() < expectedCount || !atEnd(consumer, partitions))) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> received.add(received(record)));
            }
        }
        return received;
    }

    private static boolean atEnd(KafkaConsumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
        return consumer.endOffsets(partitions).entrySet().stream()
                .allMatch(entry -> consumer.position(entry.getKey()) >= entry.getValue());
    }

    private static ReceivedMessage received(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new HashMap<>();
        record.headers().forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
        return new ReceivedMessage(new String(record.key(), UTF_8), headers, record.value());
    }
}

package io.waybill.faults.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a whole topic with Kafka's plain consumer, independently of Waybill's code. */
public final class TopicDump {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private TopicDump() {}

    /** Returns all records of the topic, in the order of each partition, or an empty list if the topic does not exist. */
    public static List<Delivered> read(String bootstrapServers, String topic) {
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class);
        List<Delivered> delivered = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long limit = System.nanoTime() + PATIENCE.toNanos();
            while (!reached(consumer, ends)) {
                if (System.nanoTime() > limit) {
                    throw new IllegalStateException("Topic " + topic + " was not read within " + PATIENCE + ".");
                }
                consumer.poll(Duration.ofMillis(100)).forEach(record -> delivered.add(delivered(record)));
            }
        }
        return delivered;
    }

    private static boolean reached(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    private static Delivered delivered(ConsumerRecord<byte[], byte[]> record) {
        Map<String, String> headers = new HashMap<>();
        record.headers().forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
        return Delivered.of(new String(record.key(), UTF_8), headers, record.value());
    }
}

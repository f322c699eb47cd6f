package io.waybill.server.broker;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads topics with a consumer that joins no group, commits no offsets and creates no topics. */
public final class TopicReader implements AutoCloseable {
    private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<String> topics;
    private final boolean fromBeginning;
    private final Set<TopicPartition> assigned = new HashSet<>();
    private boolean looked;
    private long lookedAt;

    public TopicReader(BrokerAddress broker, Map<String, String> settings, List<String> topics, boolean fromBeginning) {
        Map<String, Object> own = new HashMap<>();
        settings.forEach((name, value) -> {
            if (ConsumerConfig.configNames().contains(name)) {
                own.put(name, value);
            }
        });
        own.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address());
        own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        own.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "10000");
        own.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, "false");
        this.consumer = new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.topics = List.copyOf(topics);
        this.fromBeginning = fromBeginning;
    }

    /** Returns the topics that do not exist yet, as of the last {@link #poll}. */
    public List<String> missingTopics() {
        return topics.stream()
                .filter(topic -> assigned.stream()
                        .noneMatch(partition -> partition.topic().equals(topic)))
                .toList();
    }

    public Iterable<ConsumerRecord<byte[], byte[]>> poll(Duration limit) {
        if (!looked || System.nanoTime() - lookedAt > LOOK_NANOS) {
            assignNewPartitions();
        }
        if (assigned.isEmpty()) {
            pause(limit);
            return List.of();
        }
        ConsumerRecords<byte[], byte[]> records = consumer.poll(limit);
        return records;
    }

    /** A topic that appears after the first lookup is new, so all of its records are read. */
    private void assignNewPartitions() {
        Map<String, List<PartitionInfo>> all = consumer.listTopics();
        Set<TopicPartition> fresh = new HashSet<>();
        for (String topic : topics) {
            for (PartitionInfo partition : all.getOrDefault(topic, List.of())) {
                fresh.add(new TopicPartition(topic, partition.partition()));
            }
        }
        fresh.removeAll(assigned);
        if (!fresh.isEmpty()) {
            assigned.addAll(fresh);
            consumer.assign(assigned);
            if (fromBeginning || looked) {
                consumer.seekToBeginning(fresh);
            } else {
                consumer.seekToEnd(fresh);
            }
            fresh.forEach(consumer::position);
        }
        looked = true;
        lookedAt = System.nanoTime();
    }

    private static void pause(Duration limit) {
        try {
            Thread.sleep(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}

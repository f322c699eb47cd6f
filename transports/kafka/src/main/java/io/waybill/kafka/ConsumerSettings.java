package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.inbox.internal.consumer.ConsumerOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Settings of Kafka's consumer: Waybill's defaults, the user's settings, and those that the user cannot change. */
final class ConsumerSettings {
    private static final Map<String, String> FIXED = Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "the addresses are an argument of builder(). Set them there",
            ConsumerConfig.GROUP_ID_CONFIG, "it is the group of the inbox. Set it there",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                    "offsets are committed after the database has committed. Remove it",
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, "the inbox reads bytes. Remove it",
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, "the inbox reads bytes. Remove it");

    private final String bootstrapServers;
    private final List<String> topics;
    private final int workers;
    private final int batchSize;
    private final Duration handOverLimit;
    private final Map<String, Object> all = new HashMap<>();
    private final Map<String, Object> user;

    ConsumerSettings(KafkaInbox.Builder builder, ConsumerOptions options) {
        BootstrapServers.parse(builder.bootstrapServers);
        this.bootstrapServers = builder.bootstrapServers;
        this.topics = options.topics();
        this.workers = options.workers();
        this.batchSize = builder.batchSize;
        this.handOverLimit = options.handOverLimit();
        this.user = Map.copyOf(builder.user);
        user.keySet().forEach(name -> {
            String why = FIXED.get(name);
            if (why != null) {
                throw new WaybillException("The Kafka setting " + name + " cannot be changed: " + why + ".");
            }
            if (!ConsumerConfig.configNames().contains(name)) {
                throw new WaybillException("Kafka's consumer has no setting " + name + ". Check its spelling.");
            }
        });
        // A new group reads its topics from the start: an inbox must not skip events.
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        all.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, List.of(CooperativeStickyAssignor.class));
        all.putAll(user);
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        all.put(ConsumerConfig.GROUP_ID_CONFIG, options.inbox().group());
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    }

    Map<String, Object> forConsumer() {
        return all;
    }

    /** Settings of the admin client for the checks at the start: same connection settings, short timeouts. */
    Map<String, Object> forAdmin() {
        Map<String, Object> admin = new HashMap<>();
        user.forEach((name, value) -> {
            if (AdminClientConfig.configNames().contains(name)) {
                admin.put(name, value);
            }
        });
        admin.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        admin.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        admin.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, 5_000);
        return admin;
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    List<String> topics() {
        return topics;
    }

    int workers() {
        return workers;
    }

    int batchSize() {
        return batchSize;
    }

    Duration handOverLimit() {
        return handOverLimit;
    }
}

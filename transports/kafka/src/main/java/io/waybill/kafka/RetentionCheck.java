package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.consumer.RetentionRule;
import io.waybill.internal.LogText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that the inbox remembers events for longer than Kafka can redeliver them.
 *
 * <p>Kafka deletes whole segments. It deletes a segment only when the newest message in it has exceeded the retention. So a
 * message can stay for {@code segment.ms} longer than {@code retention.ms}. A compacted topic keeps the last message of each key
 * forever.
 */
final class RetentionCheck {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaInbox.class);

    /** Covers the interval between the broker's clean-ups, and differences between clocks. */
    private static final Duration ALLOWANCE = Duration.ofHours(1);

    private RetentionCheck() {}

    static void check(ConsumerSettings settings, Inbox<?> inbox) {
        List<String> problems = new ArrayList<>();
        try (Admin admin = Admin.create(settings.forAdmin())) {
            Map<ConfigResource, KafkaFuture<Config>> answers = admin.describeConfigs(settings.topics().stream()
                            .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                            .toList())
                    .values();
            answers.forEach((topic, answer) -> {
                Duration longest = longest(topic.name(), answer);
                if (longest != null) {
                    RetentionRule.problem(inbox, "Topic " + topic.name(), longest)
                            .ifPresent(problems::add);
                }
            });
        } catch (KafkaException e) {
            LOG.warn(
                    "Cannot read the retention of Kafka's topics: {} Continuing without the check.",
                    LogText.oneLine(e.getMessage()));
        }
        if (!problems.isEmpty()) {
            throw new WaybillException(String.join(System.lineSeparator(), problems));
        }
    }

    /** Returns null when the topic does not exist yet or its settings cannot be read. */
    private static @Nullable Duration longest(String topic, KafkaFuture<Config> answer) {
        try {
            return longest(answer.get(6, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Cannot read the retention of topic {}", topic, e);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private static Duration longest(Config config) {
        ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        long retention = millis(config, TopicConfig.RETENTION_MS_CONFIG);
        long segment = millis(config, TopicConfig.SEGMENT_MS_CONFIG);
        // Also with "compact,delete": compaction merges old segments with newer ones, and the newest message decides.
        boolean compacted = policy != null && policy.value().contains(TopicConfig.CLEANUP_POLICY_COMPACT);
        return compacted || retention < 0 || segment < 0
                ? RetentionRule.FOREVER
                : Duration.ofMillis(retention).plusMillis(segment).plus(ALLOWANCE);
    }

    private static long millis(Config config, String name) {
        ConfigEntry entry = config.get(name);
        return entry == null ? -1 : Long.parseLong(entry.value());
    }
}

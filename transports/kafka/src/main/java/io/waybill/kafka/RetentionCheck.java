package io.waybill.kafka;

import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
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

/** An inbox must remember an event for longer than the broker can deliver it again, retries included. */
final class RetentionCheck {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaInbox.class);
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    private RetentionCheck() {}

    static void check(ConsumerSettings settings, Inbox<?> inbox) {
        List<String> problems = new ArrayList<>();
        try (Admin admin = Admin.create(settings.forAdmin())) {
            Map<ConfigResource, KafkaFuture<Config>> answers = admin.describeConfigs(settings.topics().stream()
                            .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                            .toList())
                    .values();
            answers.forEach((topic, answer) -> {
                Duration kept = kept(topic.name(), answer);
                if (kept == null) {
                    return;
                }
                Duration needed = kept.compareTo(FOR_EVER) >= 0 ? FOR_EVER : kept.plus(inbox.longestRetry());
                if (inbox.retention().compareTo(needed) < 0) {
                    problems.add(problem(inbox, topic.name(), kept, needed));
                }
            });
        } catch (KafkaException e) {
            LOG.warn("Cannot ask Kafka how long it keeps messages: {} Going on without knowing.", e.getMessage());
        }
        if (!problems.isEmpty()) {
            throw new WaybillException(String.join(System.lineSeparator(), problems));
        }
    }

    private static String problem(Inbox<?> inbox, String topic, Duration kept, Duration needed) {
        boolean forEver = kept.compareTo(FOR_EVER) >= 0;
        return "Topic " + topic + " keeps messages " + (forEver ? "for ever" : "for " + kept) + ", group "
                + inbox.group()
                + " remembers what it has processed for " + inbox.retention()
                + ": a late redelivery would be applied twice."
                + " Set the inbox's retention to " + (forEver ? "InboxBuilder.FOREVER" : needed + " or more")
                + ", or let the topic keep less.";
    }

    /** Null when the topic is not there yet, or Kafka does not tell. */
    private static @Nullable Duration kept(String topic, KafkaFuture<Config> answer) {
        try {
            Config config = answer.get(6, TimeUnit.SECONDS);
            ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
            ConfigEntry retention = config.get(TopicConfig.RETENTION_MS_CONFIG);
            boolean deletes = policy == null || policy.value().contains(TopicConfig.CLEANUP_POLICY_DELETE);
            long millis = retention == null ? -1 : Long.parseLong(retention.value());
            return !deletes || millis < 0 ? FOR_EVER : Duration.ofMillis(millis);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Kafka does not tell how long it keeps topic {}", topic, e);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}

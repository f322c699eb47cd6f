package io.waybill.examples.social;

import io.waybill.examples.social.source.Catalogue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/** The topics of the design, with their partitions and retention. */
final class Topics {
    private static final short ONE_REPLICA = 1;

    private Topics() {}

    /** Creates the topics that are missing. */
    static void create(String brokers, Collection<String> deadLetters) throws InterruptedException {
        List<NewTopic> topics = new ArrayList<>();
        for (String entity : Catalogue.entities()) {
            boolean order = entity.equals(Catalogue.ORDER);
            topics.add(topic(Catalogue.topic(entity), order ? 6 : 3, Duration.ofDays(order ? 30 : 14)));
        }
        deadLetters.forEach(name -> topics.add(topic(name, 1, Duration.ofDays(7))));
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers))) {
            for (var created : admin.createTopics(topics).values().values()) {
                try {
                    created.get();
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof TopicExistsException)) {
                        throw new IllegalStateException(
                                "Cannot create the topics on " + brokers + ": " + e.getCause(), e);
                    }
                }
            }
        }
    }

    private static NewTopic topic(String name, int partitions, Duration retention) {
        return new NewTopic(name, partitions, ONE_REPLICA)
                .configs(Map.of(
                        TopicConfig.RETENTION_MS_CONFIG,
                        Long.toString(retention.toMillis()),
                        TopicConfig.SEGMENT_MS_CONFIG,
                        Long.toString(Duration.ofDays(1).toMillis())));
    }
}

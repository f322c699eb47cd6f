package io.waybill.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.config.ConfigResource;

/** How large a record each topic takes, as its {@code max.message.bytes} says. */
final class TopicSizeLimits {
    private static final Duration FRESH = Duration.ofSeconds(5);

    private record Limit(OptionalInt bytes, long readAt) {}

    private final ClusterAdmin cluster;
    private final Duration patience;
    private final Map<String, Limit> limits = new ConcurrentHashMap<>();

    TopicSizeLimits(ClusterAdmin cluster, Duration patience) {
        this.cluster = cluster;
        this.patience = patience;
    }

    boolean wasAsked(String topic) {
        return limits.containsKey(topic);
    }

    /** As it was read last, at any time; nothing when it never could be. Does not block. */
    OptionalInt known(String topic) {
        Limit limit = limits.get(topic);
        return limit == null ? OptionalInt.empty() : limit.bytes();
    }

    /**
     * As it is now, give or take seconds; nothing when it cannot be read. An event is refused for good on this word only:
     * an operator who has just raised the limit and sends the event again must not meet the old one. Blocks.
     */
    OptionalInt current(String topic) {
        Limit known = limits.get(topic);
        if (known != null && System.nanoTime() - known.readAt() < FRESH.toNanos()) {
            return known.bytes();
        }
        String text = cluster.config(ConfigResource.Type.TOPIC, topic, patience).get("max.message.bytes");
        OptionalInt bytes = text == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
        limits.put(topic, new Limit(bytes, System.nanoTime()));
        return bytes;
    }
}

package io.waybill.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.config.ConfigResource;

/** The {@code max.message.bytes} of each topic. */
final class TopicSizeLimits {
    private static final Duration MAX_AGE = Duration.ofSeconds(5);

    private record Limit(OptionalInt bytes, long readAt) {}

    private final ClusterAdmin cluster;
    private final Duration timeout;
    private final Map<String, Limit> limits = new ConcurrentHashMap<>();

    TopicSizeLimits(ClusterAdmin cluster, Duration timeout) {
        this.cluster = cluster;
        this.timeout = timeout;
    }

    boolean isCached(String topic) {
        return limits.containsKey(topic);
    }

    /** Returns the limit as last read; empty if it could not be read. Does not block. */
    OptionalInt cached(String topic) {
        Limit limit = limits.get(topic);
        return limit == null ? OptionalInt.empty() : limit.bytes();
    }

    /**
     * Returns the limit, at most a few seconds old; empty if it cannot be read. Blocks. Only this value may fail an event permanently: an
     * operator who raises the limit and sends the event again must not see the old limit applied.
     */
    OptionalInt current(String topic) {
        Limit known = limits.get(topic);
        if (known != null && System.nanoTime() - known.readAt() < MAX_AGE.toNanos()) {
            return known.bytes();
        }
        String text = cluster.config(ConfigResource.Type.TOPIC, topic, timeout).get("max.message.bytes");
        OptionalInt bytes = text == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
        limits.put(topic, new Limit(bytes, System.nanoTime()));
        return bytes;
    }
}

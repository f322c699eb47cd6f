package io.waybill.kafka;

import io.waybill.transport.Failure;
import java.util.OptionalInt;

/**
 * Finds records that are too large before they share a batch with others. A broker rejects the whole batch, and the other records in it
 * then time out (observed with kafka-clients 4.3.1; see KafkaTopicsTest). One large event would thus be an outage for all keys.
 *
 * <p>The broker's limit applies to compressed data. A record above the limit may fit when it is compressed, and only the broker can tell:
 * such a record is sent alone.
 */
final class SizeCheck {
    private final ProducerSettings settings;
    private final TopicSizeLimits limits;
    private final int largestRecord;
    private final int batchSize;

    SizeCheck(ProducerSettings settings, TopicSizeLimits limits) {
        this.settings = settings;
        this.limits = limits;
        this.largestRecord = settings.largestRecord();
        this.batchSize = settings.batchSize();
    }

    /** Returns whether the record is too large, or must be sent alone. Does not block. */
    boolean needsSpecialHandling(String topic, RecordSize size) {
        int limit = limits.cached(topic).orElse(Integer.MAX_VALUE);
        if (limit >= batchSize && size.isFarBelow(Math.min(limit, largestRecord))) {
            return false;
        }
        return exceedsClient(size) || mustBeSentAlone(topic, size);
    }

    boolean exceedsClient(RecordSize size) {
        return size.forClient() > largestRecord;
    }

    /**
     * Does not block. All records of a topic with a limit below the batch size are sent alone: client 4.3.1 splits a batch that is too
     * large, but older clients split it by the batch size again and never get below the limit.
     */
    boolean mustBeSentAlone(String topic, RecordSize size) {
        OptionalInt limit = limits.cached(topic);
        return limit.isPresent() && (size.forBroker() > limit.getAsInt() || limit.getAsInt() < batchSize);
    }

    /** Returns whether the broker is certain to reject the record. Blocks. */
    boolean exceedsTopic(String topic, RecordSize size) {
        if (settings.compresses()) {
            return false;
        }
        OptionalInt limit = limits.cached(topic);
        if (limit.isEmpty() || size.forBroker() <= limit.getAsInt()) {
            return false;
        }
        OptionalInt current = limits.current(topic);
        return current.isPresent() && size.forBroker() > current.getAsInt();
    }

    Failure tooLargeForClient(String event, RecordSize size) {
        return tooLarge(
                event,
                size.forClient(),
                "the relay's limit of " + largestRecord + " (max.request.size)",
                "raise max.request.size of the relay and max.message.bytes of the topic");
    }

    /** Blocks: reads the topic's current limit. */
    Failure tooLargeForTopic(String topic, String event, RecordSize size) {
        OptionalInt limit = limits.current(topic);
        return tooLarge(
                event,
                size.forBroker(),
                "the topic's limit" + (limit.isPresent() ? " of " + limit.getAsInt() : "") + " (max.message.bytes)"
                        + (settings.compresses() ? ", even when compressed" : ""),
                "raise max.message.bytes of the topic");
    }

    private Failure tooLarge(String event, int size, String limit, String remedy) {
        return Failure.permanent(
                "Kafka at " + settings.bootstrapServers() + " cannot accept " + event + ": it has " + size
                        + " bytes, more than " + limit + ". Make the payload smaller, or " + remedy
                        + ", and send it again.");
    }
}

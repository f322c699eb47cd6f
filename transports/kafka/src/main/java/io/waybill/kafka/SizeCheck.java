package io.waybill.kafka;

import io.waybill.transport.Failure;
import java.util.OptionalInt;

/**
 * Finds records that are too large before they share a batch with others. A broker refuses the whole batch, and then the
 * innocent records in it were seen to run into their time-out (kafka-clients 4.3.1; KafkaTopicsTest shows it). That would
 * make one large event an outage for all keys.
 *
 * <p>The broker's limit is for what arrives. Compressed, a record may be far smaller, and only the broker can tell: such
 * a record is neither refused nor batched, it travels alone.
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

    /** Whether it is refused or travels alone. Does not block. */
    boolean needsSpecialHandling(String topic, RecordSize size) {
        int limit = limits.known(topic).orElse(Integer.MAX_VALUE);
        if (limit >= batchSize && size.isFarBelow(Math.min(limit, largestRecord))) {
            return false;
        }
        return exceedsClient(size) || mustBeSentAlone(topic, size);
    }

    boolean exceedsClient(RecordSize size) {
        return size.forClient() > largestRecord;
    }

    /**
     * Does not block. Topics with a limit below the batch size are spared batches altogether: 4.3.1 splits what is too
     * large for them, but by their source older clients cut by the batch size again and would never get below the limit.
     */
    boolean mustBeSentAlone(String topic, RecordSize size) {
        OptionalInt limit = limits.known(topic);
        return limit.isPresent() && (size.forBroker() > limit.getAsInt() || limit.getAsInt() < batchSize);
    }

    /** Whether the broker would refuse it for certain. Blocks. */
    boolean exceedsTopic(String topic, RecordSize size) {
        if (settings.compresses()) {
            return false;
        }
        OptionalInt limit = limits.known(topic);
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

    /** Blocks. */
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
                "Kafka at " + settings.bootstrapServers() + " cannot take " + event + ": it has " + size
                        + " bytes, more than " + limit + ". Make the payload smaller, or " + remedy
                        + ", and send it again.");
    }
}

package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.internal.LogText;
import io.waybill.transport.Message;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as a broker delivered it.
 *
 * @param partition -1 if the broker has no partitions
 * @param offset -1 if the broker has no offsets
 * @param key messages of one key are applied in order; null if the message has no key
 * @param value the body; must not be modified; it is not copied, for performance
 */
public record ReceivedMessage(
        String topic, int partition, long offset, @Nullable String key, byte[] value, Map<String, String> headers) {
    public ReceivedMessage {
        requireNonNull(topic, "topic");
        requireNonNull(value, "value");
        headers = Map.copyOf(headers);
    }

    /** Converts a message to be sent into a received one, without a broker. */
    public static ReceivedMessage of(Message message) {
        return new ReceivedMessage(message.topic(), -1, -1, message.key(), message.value(), message.headers());
    }

    @Override
    public String toString() {
        String place = partition < 0 ? topic : topic + "-" + partition + "@" + offset;
        return LogText.name(place) + " key " + LogText.name(key);
    }
}

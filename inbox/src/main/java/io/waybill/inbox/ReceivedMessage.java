package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.internal.LogText;
import io.waybill.transport.Message;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as a broker delivered it.
 *
 * @param partition where it stood on its topic, and {@code offset} at which place; -1 when the broker has no such thing
 * @param key messages of one key are applied in their order; null when it has none
 * @param value the body; treat as immutable (an array, because copying each body would cost more than the check is worth)
 */
public record ReceivedMessage(
        String topic, int partition, long offset, @Nullable String key, byte[] value, Map<String, String> headers) {
    public ReceivedMessage {
        requireNonNull(topic, "topic");
        requireNonNull(value, "value");
        headers = Map.copyOf(headers);
    }

    /** What a transport would have sent, received at once. */
    public static ReceivedMessage of(Message message) {
        return new ReceivedMessage(message.topic(), -1, -1, message.key(), message.value(), message.headers());
    }

    @Override
    public String toString() {
        String place = partition < 0 ? topic : topic + "-" + partition + "@" + offset;
        return LogText.name(place) + " key " + LogText.name(key);
    }
}

package io.waybill.transport;

import java.util.Map;
import java.util.UUID;

/**
 * What goes to the broker: an event in its envelope.
 *
 * @param id the event's id, which is also the message's
 * @param key messages of one key must not overtake each other
 * @param value the body; treat as immutable (an array, because copying each body would cost more than the check is worth)
 */
public record Message(UUID id, String topic, String key, byte[] value, Map<String, String> headers) {
    @Override
    public String toString() {
        return topic + "/" + key + " " + id;
    }
}

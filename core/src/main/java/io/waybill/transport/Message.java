package io.waybill.transport;

import java.util.Map;
import java.util.UUID;

/**
 * An event in its envelope, as sent to the broker.
 *
 * @param id the id of the event, also used as message id
 * @param key messages of one key must stay in order
 * @param value the body; must not be modified; it is not copied, for performance
 */
public record Message(UUID id, String topic, String key, byte[] value, Map<String, String> headers) {
    @Override
    public String toString() {
        return topic + "/" + key + " " + id;
    }
}

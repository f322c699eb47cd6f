package io.waybill.saga;

import static java.util.Objects.requireNonNull;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that asks a participant to do something, or to undo it. It is appended to the outbox in the transaction of the step, as
 * an event of type {@code type}.
 *
 * @param topic null for a topic named like the type
 * @param payload JSON text, or an object that is written as JSON
 */
public record Command(
        String type,
        String key,
        Object payload,
        String aggregateType,
        @Nullable String topic,
        Map<String, String> headers) {
    public Command {
        requireNonNull(type, "type");
        requireNonNull(key, "key");
        requireNonNull(payload, "payload");
        headers = Map.copyOf(headers);
    }

    /** @param key the key of the event; commands with the same key and topic arrive in order */
    public static Command to(String type, String key, Object payload) {
        return new Command(type, key, payload, "Saga", null, Map.of());
    }

    public Command topic(String topic) {
        return new Command(type, key, payload, aggregateType, topic, headers);
    }

    public Command aggregateType(String aggregateType) {
        return new Command(type, key, payload, aggregateType, topic, headers);
    }

    public Command header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Command(type, key, payload, aggregateType, topic, more);
    }
}

package io.waybill.saga.participant;

import static java.util.Objects.requireNonNull;

/**
 * A participant's reply to a command.
 *
 * @param refused whether the command had no effect
 * @param key the key of the event that carries the reply
 * @param payload JSON text, or an object that is written as JSON
 */
public record Answer(boolean refused, String type, String key, Object payload) {
    public Answer {
        requireNonNull(type, "type");
        requireNonNull(key, "key");
        requireNonNull(payload, "payload");
    }

    /** The command was executed. */
    public static Answer done(String eventType, String key, Object payload) {
        return new Answer(false, eventType, key, payload);
    }

    /** The command was not executed, and nothing was changed. */
    public static Answer refused(String eventType, String key, Object payload) {
        return new Answer(true, eventType, key, payload);
    }
}

package io.waybill.inbox.internal.message;

import io.waybill.inbox.ReceivedMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.UUID;

/** The id of a message that cannot be read. */
public final class PoisonId {
    private PoisonId() {}

    /**
     * Returns the id of a message that cannot be read. The id is derived from position and body. A redelivery has the
     * same id, also in another JVM. The body is included because positions are reused when a topic is deleted and
     * created again. If the broker has no positions, key and headers are used instead, except headers that begin with
     * {@code x-}, which brokers add. Two messages without positions that are equal in all of these parts have the same
     * id. The event id is never used alone: a valid message with that id may follow.
     */
    public static UUID of(ReceivedMessage message) {
        StringBuilder text = new StringBuilder("waybill poison ").append(message.topic());
        if (message.partition() < 0 || message.offset() < 0) {
            text.append('\0').append(message.key());
            new TreeMap<>(message.headers()).forEach((name, value) -> {
                if (!name.startsWith("x-")) {
                    text.append('\0').append(name).append('\0').append(value);
                }
            });
        } else {
            text.append('/').append(message.partition()).append('/').append(message.offset());
        }
        byte[] prefix = text.append('\0').toString().getBytes(StandardCharsets.UTF_8);
        ByteBuffer all = ByteBuffer.allocate(prefix.length + message.value().length);
        return UUID.nameUUIDFromBytes(all.put(prefix).put(message.value()).array());
    }
}

package io.waybill.inbox;

import io.waybill.Event;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event on its way to its handler.
 *
 * @param held set when it comes from the inbox itself and not from a broker
 */
record Arrival<T>(
        ReceivedMessage message,
        Event event,
        Handler<T> handler,
        @Nullable HeldEvent held) {
    int attempts() {
        return held == null ? 0 : held.attempts();
    }

    /**
     * The id of a message that cannot be read. It is made from the message's body and its place, so that a redelivery has the
     * same id, in another JVM as well, and so that the place may be used again after its topic was deleted and created anew. Where
     * the broker has no places, headers count instead, but not those that the broker adds ({@code x-delivery-count} and others
     * that begin with {@code x-}): two messages that are alike in all of that have one id. Never the event id alone: a good message
     * with that id may follow.
     */
    static UUID poisonId(ReceivedMessage message) {
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

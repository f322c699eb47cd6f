package io.waybill.inbox;

import io.waybill.Event;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event to be passed to its handler.
 *
 * @param held set if the event was kept in the inbox, null if it comes from a broker
 */
record IncomingEvent<T>(
        ReceivedMessage message,
        Event event,
        Handler<T> handler,
        @Nullable HeldEvent held) {
    int attempts() {
        return held == null ? 0 : held.attempts();
    }

    /**
     * Returns the id of a message that cannot be read. The id is derived from the body and the position of the message: a redelivery
     * has the same id, also in another JVM, and a position may be reused after its topic was deleted and created again. If the
     * broker has no positions, the headers are used instead, except those that the broker adds ({@code x-delivery-count} and others
     * that begin with {@code x-}); messages that are equal in all of that have the same id. The event id alone is never used: a
     * valid message with that id may follow.
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

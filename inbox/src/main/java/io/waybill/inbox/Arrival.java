package io.waybill.inbox;

import io.waybill.Event;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event on its way to its handler.
 *
 * @param held set when it comes from the inbox itself and not from a broker
 */
record Arrival<T>(
        Received message,
        Event event,
        Handler<T> handler,
        @Nullable Held held) {
    int attempts() {
        return held == null ? 0 : held.attempts();
    }

    /**
     * The id of a message that cannot be read: made from its place, so that a redelivery has the same one. Never from its
     * headers: a good message with that id may come yet.
     */
    static UUID placeId(Received message) {
        String place = message.partition() < 0
                ? "message " + message.headers()
                : message.topic() + "/" + message.partition() + "/" + message.offset();
        return UUID.nameUUIDFromBytes(("waybill poison " + place).getBytes(StandardCharsets.UTF_8));
    }
}

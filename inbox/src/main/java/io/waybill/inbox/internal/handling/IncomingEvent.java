package io.waybill.inbox.internal.handling;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.InboxTracer;
import io.waybill.inbox.ReceivedMessage;
import org.jspecify.annotations.Nullable;

/**
 * An event to be passed to its handler.
 *
 * @param held set if the event was kept in the inbox, null if it comes from a broker
 */
public record IncomingEvent<T>(
        ReceivedMessage message,
        Event event,
        Handler<T> handler,
        InboxTracer.Attempt attempt,
        @Nullable HeldEvent held) {
    public int attempts() {
        return held == null ? 0 : held.attempts();
    }
}

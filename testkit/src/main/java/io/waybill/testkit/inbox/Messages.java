package io.waybill.testkit.inbox;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.transport.Message;
import java.util.concurrent.atomic.AtomicLong;

/** Creates messages as a broker delivers them. */
public final class Messages {
    public static final String TOPIC = "orders";
    public static final String TYPE = "order.placed";

    private static final Envelope ENVELOPE = Envelope.standard("shop");
    private static final AtomicLong OFFSETS = new AtomicLong();

    private Messages() {}

    /** Returns a message whose event has this key and this text as its payload. */
    public static ReceivedMessage of(String key, String text) {
        return of(event(key, text).build());
    }

    /** As {@link #of(String, String)}, with an aggregate version. */
    public static ReceivedMessage of(String key, String text, long version) {
        return of(event(key, text).aggregateVersion(version).build());
    }

    public static ReceivedMessage of(Event event) {
        Message message = ENVELOPE.seal(event);
        return new ReceivedMessage(
                message.topic(), 0, OFFSETS.incrementAndGet(), message.key(), message.value(), message.headers());
    }

    public static Event.Builder event(String key, String text) {
        return Event.builder(TYPE, "Order", key).topic(TOPIC).payload("\"" + text + "\"");
    }

    /** Returns the text of an event that {@link #of(String, String)} made. */
    public static String text(Event event) {
        return event.payload().substring(1, event.payload().length() - 1);
    }
}

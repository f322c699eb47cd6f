package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.Outbox;

/** Events that a handler appends because of the one it handles. */
public final class FollowUps {
    private FollowUps() {}

    /**
     * The outbox for what follows from {@code cause}: each event appended to it carries the cause's correlation id and trace
     * on, and its id as causation id, unless the event has its own.
     */
    public static <T> Outbox<T> of(Event cause, Outbox<T> outbox) {
        requireNonNull(cause, "cause");
        requireNonNull(outbox, "outbox");
        return (transaction, events) -> outbox.append(
                transaction, events.stream().map(event -> follow(cause, event)).toList());
    }

    private static Event follow(Event cause, Event event) {
        Event.Builder follower = Event.builder(event.type(), event.aggregateType(), event.key())
                .id(event.id())
                .version(event.version())
                .payload(event.payload())
                .occurredAt(event.occurredAt())
                .header(Headers.CAUSATION_ID, cause.id().toString())
                .header(
                        Headers.CORRELATION_ID,
                        cause.headers()
                                .getOrDefault(Headers.CORRELATION_ID, cause.id().toString()));
        String trace = cause.headers().get(Headers.TRACEPARENT);
        if (trace != null) {
            follower.header(Headers.TRACEPARENT, trace);
        }
        event.aggregateVersion().ifPresent(follower::aggregateVersion);
        event.topic().ifPresent(follower::topic);
        return follower.headers(event.headers()).build();
    }
}

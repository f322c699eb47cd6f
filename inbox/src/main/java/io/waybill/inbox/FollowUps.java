package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.Outbox;
import java.util.LinkedHashMap;
import java.util.Map;

/** Events that a handler appends in response to the event it handles. */
public final class FollowUps {
    private FollowUps() {}

    /**
     * Returns an outbox for events caused by {@code cause}. Each appended event inherits the correlation id and the trace of the
     * cause, and has the id of the cause as causation id, unless the event sets these headers itself.
     */
    public static <T> Outbox<T> of(Event cause, Outbox<T> outbox) {
        requireNonNull(cause, "cause");
        requireNonNull(outbox, "outbox");
        return (transaction, events) -> outbox.append(
                transaction, events.stream().map(event -> follow(cause, event)).toList());
    }

    private static Event follow(Event cause, Event event) {
        Map<String, String> inherited = new LinkedHashMap<>();
        inherited.put(Headers.CAUSATION_ID, cause.id().toString());
        inherited.put(
                Headers.CORRELATION_ID,
                cause.headers().getOrDefault(Headers.CORRELATION_ID, cause.id().toString()));
        if (!event.headers().containsKey(Headers.TRACEPARENT)) { // the two headers of a trace belong together
            inherit(Headers.TRACEPARENT, cause, inherited);
            inherit(Headers.TRACESTATE, cause, inherited);
        }
        return event.withDefaultHeaders(inherited);
    }

    private static void inherit(String header, Event cause, Map<String, String> inherited) {
        String value = cause.headers().get(header);
        if (value != null) {
            inherited.put(header, value);
        }
    }
}

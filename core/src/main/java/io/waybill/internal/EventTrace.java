package io.waybill.internal;

import io.waybill.Event;
import io.waybill.Headers;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The trace of an event, and log lines that carry it. Not an API. */
public final class EventTrace {
    /** Keys of the diagnostic context of slf4j. */
    private static final String EVENT_ID = "eventId";

    private static final String TRACE_ID = "traceId";

    private static final int TRACE_ID_START = 3;
    private static final int TRACE_ID_END = TRACE_ID_START + 32;

    private EventTrace() {}

    /** Returns the trace id of a header {@code version-traceid-spanid-flags}, or the event id if the header is missing or malformed. */
    public static String id(@Nullable String traceparent, String eventId) {
        if (traceparent == null
                || traceparent.length() <= TRACE_ID_END
                || traceparent.charAt(TRACE_ID_START - 1) != '-'
                || traceparent.charAt(TRACE_ID_END) != '-') {
            return eventId;
        }
        for (int i = TRACE_ID_START; i < TRACE_ID_END; i++) {
            char c = traceparent.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return eventId;
            }
        }
        return traceparent.substring(TRACE_ID_START, TRACE_ID_END);
    }

    /** Does the work, and adds {@code eventId} and {@code traceId} to the log lines that this thread writes meanwhile. */
    public static <R> R logged(Event event, Supplier<R> work) {
        return logged(event.id(), event.headers(), work);
    }

    /** As {@link #logged(Event, Supplier)}, for a message that may be no event. */
    public static <R> R logged(UUID eventId, Map<String, String> headers, Supplier<R> work) {
        String outerEvent = MDC.get(EVENT_ID);
        String outerTrace = MDC.get(TRACE_ID);
        String id = eventId.toString();
        MDC.put(EVENT_ID, id);
        MDC.put(TRACE_ID, id(headers.get(Headers.TRACEPARENT), id));
        try {
            return work.get();
        } finally {
            restore(EVENT_ID, outerEvent);
            restore(TRACE_ID, outerTrace);
        }
    }

    private static void restore(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }
}

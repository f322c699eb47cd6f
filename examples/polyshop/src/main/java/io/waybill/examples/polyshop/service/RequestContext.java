package io.waybill.examples.polyshop.service;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.Outbox;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The values that the request on this thread adds to its events: correlation, user and idempotency key. */
public final class RequestContext {
    private static final ThreadLocal<Map<String, String>> CURRENT = ThreadLocal.withInitial(Map::of);

    private RequestContext() {}

    /** Returns the id that a client gave its request, or a new one. */
    public static String requestId(@Nullable String given) {
        return given != null && given.matches("[A-Za-z0-9._-]{1,100}")
                ? given
                : UUID.randomUUID().toString();
    }

    public static void enter(String requestId, String traceId, Caller caller, @Nullable String idempotencyKey) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(Headers.CORRELATION_ID, requestId);
        if (!caller.id().isEmpty()) {
            headers.put(Headers.USER_ID, caller.id());
        }
        if (idempotencyKey != null && !idempotencyKey.isBlank()) {
            headers.put(Headers.IDEMPOTENCY_KEY, idempotencyKey);
        }
        CURRENT.set(Map.copyOf(headers));
        MDC.put("requestId", requestId);
        MDC.put("traceId", traceId);
    }

    public static void leave() {
        CURRENT.remove();
        MDC.remove("requestId");
        MDC.remove("traceId");
    }

    /** The headers for events of the current request; empty outside of requests. */
    public static Map<String, String> headers() {
        return CURRENT.get();
    }

    /** Returns an outbox that adds the service's name and the current request to the headers of events. */
    static <T> Outbox<T> outbox(String service, Outbox<T> outbox) {
        return (transaction, events) -> outbox.append(
                transaction,
                events.stream().map(event -> completed(event, service)).toList());
    }

    private static Event completed(Event event, String service) {
        Map<String, String> headers = new LinkedHashMap<>(headers());
        headers.put(Headers.SOURCE, service);
        return event.withDefaultHeaders(headers);
    }
}

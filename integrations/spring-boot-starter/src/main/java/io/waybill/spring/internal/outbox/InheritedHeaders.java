package io.waybill.spring.internal.outbox;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.Outbox;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Handler;
import io.waybill.spring.EventHeaders;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds headers to appended events: from the {@link EventHeaders} beans, and from the event that is being handled. */
public final class InheritedHeaders {
    private static final ThreadLocal<@Nullable Event> HANDLED = new ThreadLocal<>();

    private final List<EventHeaders> sources;

    InheritedHeaders(List<EventHeaders> sources) {
        this.sources = List.copyOf(sources);
    }

    /** Returns the headers for a flow of events that begins now: those of the sources, and the correlation and trace of the cause. */
    public Map<String, String> ofFlow() {
        Map<String, String> headers = new LinkedHashMap<>();
        sources.forEach(source -> headers.putAll(source.current()));
        Event cause = HANDLED.get();
        if (cause != null) {
            headers.putIfAbsent(
                    Headers.CORRELATION_ID,
                    cause.headers()
                            .getOrDefault(Headers.CORRELATION_ID, cause.id().toString()));
            String trace = cause.headers().get(Headers.TRACEPARENT);
            if (trace != null) {
                headers.putIfAbsent(Headers.TRACEPARENT, trace);
            }
        }
        return headers;
    }

    /** Returns the outbox with the headers of the current thread. */
    public <T> Outbox<T> on(Outbox<T> outbox) {
        Map<String, String> headers = new LinkedHashMap<>();
        sources.forEach(source -> headers.putAll(source.current()));
        Outbox<T> adding = (transaction, events) -> outbox.append(
                transaction,
                events.stream().map(event -> event.withDefaultHeaders(headers)).toList());
        Event cause = HANDLED.get();
        return cause == null ? adding : FollowUps.of(cause, adding);
    }

    /** Returns the handler, with the handled event as the cause of the events that it appends. */
    public <T> Handler<T> asCause(Handler<T> handler) {
        return (transaction, event) -> {
            HANDLED.set(event);
            try {
                handler.handle(transaction, event);
            } finally {
                HANDLED.remove();
            }
        };
    }
}

package io.waybill.opentelemetry;

import static java.util.Objects.requireNonNull;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.Outbox;
import io.waybill.inbox.InboxTracer;
import io.waybill.relay.RelayListener;
import java.util.Map;

/**
 * Traces events from the transaction that appends them to the handlers that process them, with the span names and attributes of
 * OpenTelemetry's messaging conventions.
 *
 * <p>An event carries the W3C trace context of the span that was current when it was appended. The relay never changes it. Each attempt
 * to publish the event ({@code send {topic}}) and each attempt to process it ({@code process {topic}}) is a child of that span. A handler
 * runs with its span current, so the events that it appends continue the trace.
 */
public final class WaybillTracing {
    private static final String SCOPE = "io.waybill";

    private final Tracer tracer;
    private final TextMapPropagator propagator;

    private WaybillTracing(Tracer tracer, TextMapPropagator propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    /** Uses the spans of this instance and the W3C headers {@code traceparent} and {@code tracestate}, whatever else it propagates. */
    public static WaybillTracing with(OpenTelemetry openTelemetry) {
        return new WaybillTracing(openTelemetry.getTracer(SCOPE), W3CTraceContextPropagator.getInstance());
    }

    /**
     * Also passes on baggage, in the header {@code baggage}. All consumers of an event receive it, and it is stored with the event:
     * it must contain no secrets.
     */
    public WaybillTracing withBaggage() {
        return new WaybillTracing(
                tracer,
                TextMapPropagator.composite(
                        W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance()));
    }

    /** Returns an outbox that adds the current trace context to events, except to those that have a {@code traceparent} already. */
    public <T> Outbox<T> outbox(Outbox<T> outbox) {
        requireNonNull(outbox, "outbox");
        return (transaction, events) -> {
            Map<String, String> headers = currentHeaders();
            outbox.append(
                    transaction,
                    events.stream().map(event -> traced(event, headers)).toList());
        };
    }

    private static Event traced(Event event, Map<String, String> headers) {
        return event.headers().containsKey(Headers.TRACEPARENT) ? event : event.withDefaultHeaders(headers);
    }

    /** Returns the trace context of the current thread, as headers of an event; empty if no span is current. */
    public Map<String, String> currentHeaders() {
        return HeaderMap.of(propagator, Context.current());
    }

    /**
     * Returns a listener that reports each attempt of a relay to publish an event as a span.
     *
     * @param system the broker, as {@code messaging.system}: {@code kafka}, {@code rabbitmq}, {@code nats}
     */
    public RelayListener relay(String system) {
        return new SendSpans(tracer, propagator, requireNonNull(system, "system"));
    }

    /**
     * Returns a tracer that reports each attempt of a group to process an event as a span.
     *
     * @param system the broker, as in {@link #relay}
     */
    public InboxTracer inbox(String system, String group) {
        return new ProcessSpans(tracer, propagator, requireNonNull(system, "system"), requireNonNull(group, "group"));
    }
}

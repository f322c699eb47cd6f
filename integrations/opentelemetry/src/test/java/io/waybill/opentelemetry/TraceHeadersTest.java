package io.waybill.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TraceHeadersTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String TRACEPARENT = "00-" + TRACE + "-" + SPAN + "-01";

    private final WaybillTracing tracing = WaybillTracing.with(OpenTelemetry.noop());
    private final List<Event> stored = new ArrayList<>();
    private final Outbox<String> outbox = (transaction, events) -> stored.addAll(events);

    private static Context request() {
        TraceState state = TraceState.builder().put("vendor", "a").build();
        SpanContext span = SpanContext.createFromRemoteParent(TRACE, SPAN, TraceFlags.getSampled(), state);
        return Context.root()
                .with(Span.wrap(span))
                .with(Baggage.builder().put("tenant", "t1").build());
    }

    private Map<String, String> headersOf(WaybillTracing appending, Event event) {
        appending.outbox(outbox).append("transaction", event);
        return stored.get(stored.size() - 1).headers();
    }

    @Test
    void anAppendedEventCarriesTheCurrentTraceContext() {
        try (Scope current = request().makeCurrent()) {
            assertThat(current).isNotNull();
            assertThat(headersOf(tracing, Event.of("t", "A", "k", "{}")))
                    .isEqualTo(Map.of(Headers.TRACEPARENT, TRACEPARENT, Headers.TRACESTATE, "vendor=a"));
        }
    }

    @Test
    void theTraceContextOfTheCallerIsKept() {
        Event event = Event.builder("t", "A", "k")
                .header(Headers.TRACEPARENT, "00-11111111111111111111111111111111-2222222222222222-00")
                .build();
        try (Scope current = request().makeCurrent()) {
            assertThat(current).isNotNull();
            assertThat(headersOf(tracing, event)).isEqualTo(event.headers());
        }
    }

    @Test
    void anEventAppendedOutsideOfASpanGetsNoHeaders() {
        assertThat(headersOf(tracing, Event.of("t", "A", "k", "{}"))).isEmpty();
    }

    @Test
    void baggageIsPassedOnByChoice() {
        try (Scope current = request().makeCurrent()) {
            assertThat(current).isNotNull();
            assertThat(headersOf(tracing.withBaggage(), Event.of("t", "A", "k", "{}")))
                    .containsEntry("baggage", "tenant=t1");
        }
    }
}

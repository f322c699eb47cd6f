package io.waybill.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.waybill.Event;
import io.waybill.relay.RelayListener;
import io.waybill.store.PublishOutcome;
import io.waybill.transport.Failure;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One span for each attempt of a relay to publish an event. It is created when the attempt has ended, so the relay holds no spans of events
 * in flight.
 */
final class SendSpans implements RelayListener {
    private static final AttributeKey<Long> RETRY_DELAY = AttributeKey.longKey("waybill.retry.delay_ms");

    private final Tracer tracer;
    private final TextMapPropagator propagator;
    private final String system;

    SendSpans(Tracer tracer, TextMapPropagator propagator, String system) {
        this.tracer = tracer;
        this.propagator = propagator;
        this.system = system;
    }

    @Override
    public void attempted(PublishOutcome outcome, @Nullable Failure failure, Duration took) {
        Event event = outcome.claimed().event();
        Instant ended = Instant.now();
        Context parent = HeaderMap.read(propagator, Context.root(), event.headers());
        int attempt = outcome.claimed().retryCount() + 1;
        Span span = EventSpans.builder(tracer, parent, "send", SpanKind.PRODUCER, system, event, attempt)
                .setStartTimestamp(ended.minus(took))
                .startSpan();
        if (outcome instanceof PublishOutcome.Published) {
            span.setAttribute(EventSpans.OUTCOME, "published");
        } else if (outcome instanceof PublishOutcome.Retry retry) {
            span.setAttribute(EventSpans.OUTCOME, "retry");
            span.setAttribute(RETRY_DELAY, retry.delay().toMillis());
        } else if (outcome instanceof PublishOutcome.Dead dead) {
            span.setAttribute(EventSpans.OUTCOME, "dead_letter");
            EventSpans.failed(span, "dead_letter", dead.error());
        } else {
            span.setAttribute(EventSpans.OUTCOME, "released");
        }
        if (failure != null) {
            EventSpans.failed(span, EventSpans.label(failure.kind()), failure.reason());
        }
        span.end(ended);
    }
}

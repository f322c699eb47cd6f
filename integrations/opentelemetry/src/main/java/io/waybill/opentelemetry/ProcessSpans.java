package io.waybill.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.waybill.Event;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxTracer;
import io.waybill.inbox.ReceivedMessage;
import org.jspecify.annotations.Nullable;

/** One span for each attempt of a group to process an event, from before the transaction to its commit or the record of its failure. */
final class ProcessSpans implements InboxTracer {
    private static final AttributeKey<String> GROUP = AttributeKey.stringKey("messaging.consumer.group.name");
    private static final AttributeKey<String> PARTITION = AttributeKey.stringKey("messaging.destination.partition.id");
    private static final AttributeKey<Long> KAFKA_OFFSET = AttributeKey.longKey("messaging.kafka.offset");

    private final Tracer tracer;
    private final TextMapPropagator propagator;
    private final String system;
    private final String group;

    ProcessSpans(Tracer tracer, TextMapPropagator propagator, String system, String group) {
        this.tracer = tracer;
        this.propagator = propagator;
        this.system = system;
        this.group = group;
    }

    @Override
    public Attempt attempt(ReceivedMessage message, Event event, int failures) {
        return new TracedAttempt(message, event, failures + 1);
    }

    private Context start(ReceivedMessage message, Event event, int attempt) {
        // Without a trace context in the event, the span belongs to the current one, for example that of an
        // instrumented broker client.
        Context parent = HeaderMap.read(propagator, Context.current(), event.headers());
        SpanBuilder span = EventSpans.builder(tracer, parent, "process", SpanKind.CONSUMER, system, event, attempt)
                .setAttribute(GROUP, group);
        if (message.partition() >= 0) {
            span.setAttribute(PARTITION, Integer.toString(message.partition()));
        }
        if (system.equals("kafka") && message.offset() >= 0) {
            span.setAttribute(KAFKA_OFFSET, message.offset());
        }
        return parent.with(span.startSpan());
    }

    private final class TracedAttempt implements Attempt {
        private final ReceivedMessage message;
        private final Event event;
        private final int attempt;
        private @Nullable Context context;

        TracedAttempt(ReceivedMessage message, Event event, int attempt) {
            this.message = message;
            this.event = event;
            this.attempt = attempt;
        }

        /** The inbox enters an attempt again if the database asks it to repeat the transaction. */
        @Override
        @SuppressWarnings("MustBeClosedChecker") // the inbox closes the scope
        public Runnable enter() {
            Context entered = context == null ? start(message, event, attempt) : context;
            context = entered;
            Scope scope = entered.makeCurrent();
            return scope::close;
        }

        /** Follow-up events inherit the trace context of the event that the handler receives. */
        @Override
        public Event handed(Event received) {
            return context == null
                    ? received
                    : received.withHeaders(HeaderMap.of(W3CTraceContextPropagator.getInstance(), context));
        }

        @Override
        public void ended(@Nullable InboxOutcome outcome, @Nullable Throwable cause) {
            if (context == null) {
                return;
            }
            Span span = Span.fromContext(context);
            try {
                span.setAttribute(EventSpans.OUTCOME, outcome(outcome));
                if (cause != null) {
                    EventSpans.failed(span, cause.getClass().getName(), String.valueOf(cause.getMessage()));
                    span.recordException(cause);
                }
            } finally { // getMessage() of an application's exception class may throw
                span.end();
            }
        }

        private static String outcome(@Nullable InboxOutcome outcome) {
            if (outcome == null) {
                return "rolled_back";
            }
            return switch (outcome) {
                case RETRY_SCHEDULED -> "retry";
                case DEAD_LETTERED -> "dead_letter";
                default -> EventSpans.label(outcome);
            };
        }
    }
}

package io.waybill.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.waybill.Event;
import io.waybill.Headers;
import java.util.Locale;

/** The attributes that all spans about an event have. */
final class EventSpans {
    /** What became of the event: {@code published}, {@code processed}, {@code retry}, {@code dead_letter}, … */
    static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("waybill.outcome");

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
    private static final AttributeKey<String> CONVERSATION_ID =
            AttributeKey.stringKey("messaging.message.conversation_id");
    private static final AttributeKey<String> KAFKA_KEY = AttributeKey.stringKey("messaging.kafka.message.key");
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
    private static final AttributeKey<String> EVENT_TYPE = AttributeKey.stringKey("waybill.event.type");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("waybill.attempt");

    /** Names of topics, types and keys may come from other software, which does not limit their length. */
    private static final int LONGEST = 255;

    private static final int LONGEST_ERROR = 1_000;

    private EventSpans() {}

    /** @param attempt 1 for the first attempt */
    static SpanBuilder builder(
            Tracer tracer, Context parent, String operation, SpanKind kind, String system, Event event, long attempt) {
        String destination = cut(event.destination(), LONGEST);
        SpanBuilder span = tracer.spanBuilder(operation + " " + destination)
                .setParent(parent)
                .setSpanKind(kind)
                .setAttribute(SYSTEM, system)
                .setAttribute(OPERATION, operation)
                .setAttribute(OPERATION_TYPE, operation)
                .setAttribute(DESTINATION, destination)
                .setAttribute(MESSAGE_ID, event.id().toString())
                .setAttribute(EVENT_TYPE, cut(event.type(), LONGEST))
                .setAttribute(ATTEMPT, attempt);
        String correlation = event.headers().get(Headers.CORRELATION_ID);
        if (correlation != null) {
            span.setAttribute(CONVERSATION_ID, cut(correlation, LONGEST));
        }
        if (system.equals("kafka")) {
            span.setAttribute(KAFKA_KEY, cut(event.partitionKey(), LONGEST));
        }
        return span;
    }

    static void failed(Span span, String errorType, String reason) {
        span.setAttribute(ERROR_TYPE, errorType);
        span.setStatus(StatusCode.ERROR, cut(reason, LONGEST_ERROR));
    }

    static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String cut(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest - 1) + "…";
    }
}

package io.waybill.examples.polyshop.service;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.waybill.opentelemetry.WaybillTracing;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The spans of a service. Without {@code OTEL_EXPORTER_OTLP_ENDPOINT} they are not exported, but requests and events still carry the
 * trace.
 */
public final class Tracing implements AutoCloseable {
    private final OpenTelemetrySdk sdk;
    private final WaybillTracing events;

    private Tracing(OpenTelemetrySdk sdk) {
        this.sdk = sdk;
        this.events = WaybillTracing.with(sdk);
    }

    public static Tracing start(ServiceSettings settings) {
        Map<String, String> properties = settings.environment().entrySet().stream()
                .filter(variable -> variable.getKey().startsWith("OTEL_"))
                .collect(Collectors.toMap(
                        variable -> variable.getKey().toLowerCase(Locale.ROOT).replace('_', '.'),
                        Map.Entry::getValue,
                        (first, second) -> first,
                        HashMap::new));
        properties.put("otel.service.name", settings.service());
        properties.put("otel.metrics.exporter", "none");
        properties.put("otel.logs.exporter", "none");
        properties.put("otel.propagators", "tracecontext");
        if (settings.find("OTEL_EXPORTER_OTLP_ENDPOINT").isEmpty()) {
            properties.put("otel.traces.exporter", "none");
        }
        return new Tracing(AutoConfiguredOpenTelemetrySdk.builder()
                .addPropertiesCustomizer(given -> properties)
                .disableShutdownHook()
                .build()
                .getOpenTelemetrySdk());
    }

    public OpenTelemetrySdk sdk() {
        return sdk;
    }

    /** Returns the tracing of Waybill's events. */
    public WaybillTracing events() {
        return events;
    }

    /** Begins the span of a request that this service received; a child of the caller's span, if the request names one. */
    public Span received(String name, UnaryOperator<@Nullable String> header) {
        Context parent = W3CTraceContextPropagator.getInstance().extract(Context.root(), header, new HeaderReader());
        return sdk.getTracer("polyshop")
                .spanBuilder(name)
                .setParent(parent)
                .setSpanKind(SpanKind.SERVER)
                .startSpan();
    }

    /** Begins the span of a request that this service sends, as a child of the current span. */
    public Span sent(String name) {
        return sdk.getTracer("polyshop")
                .spanBuilder(name)
                .setSpanKind(SpanKind.CLIENT)
                .startSpan();
    }

    /** Ends the span of a request. */
    public static void ended(Span span, int status) {
        span.setAttribute("http.response.status_code", status);
        if (status >= 500) {
            span.setStatus(StatusCode.ERROR);
        }
        span.end();
    }

    /** Sends the spans that are not exported yet. */
    @Override
    public void close() {
        sdk.close();
    }

    private static final class HeaderReader implements TextMapGetter<UnaryOperator<@Nullable String>> {
        @Override
        @SuppressWarnings("deprecation") // older versions of the API require it
        public Iterable<String> keys(UnaryOperator<@Nullable String> carrier) {
            return W3CTraceContextPropagator.getInstance().fields();
        }

        @Override
        public @Nullable String get(@Nullable UnaryOperator<@Nullable String> carrier, String key) {
            return carrier == null ? null : carrier.apply(key);
        }
    }
}

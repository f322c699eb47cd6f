package io.waybill.bench.contest;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.waybill.internal.Listeners;
import io.waybill.opentelemetry.WaybillTracing;
import io.waybill.relay.RelayListener;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;

/**
 * The trace contexts of the events of a contestant, and whether its relay reports spans.
 *
 * @param percent the sampled part of the traces, in percent
 * @param spans false for the relay with which the others are compared: the same events, and no OpenTelemetry
 */
public record Tracing(double percent, boolean spans) {
    String suffix() {
        return spans
                ? "-traced-" + new DecimalFormat("0.###", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(percent)
                : "";
    }

    /** An SQL expression for the headers of an event, as OpenTelemetry writes them. */
    String headersSql() {
        return "('{\"traceparent\":\"00-' || md5(payload) || '-' || left(md5(key), 16) || '-0' || (random() < "
                + percent / 100 + ")::int || '\"}')::json";
    }

    /** A running SDK that exports spans to a receiver in this process, which ignores them. */
    static final class Exporter implements AutoCloseable {
        private final HttpServer receiver;
        private final OpenTelemetrySdk sdk;

        Exporter() {
            try {
                receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            receiver.createContext("/", exchange -> {
                exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            receiver.start();
            String endpoint = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/v1/traces";
            sdk = OpenTelemetrySdk.builder()
                    .setTracerProvider(SdkTracerProvider.builder()
                            .setSampler(Sampler.parentBased(Sampler.alwaysOff()))
                            .addSpanProcessor(BatchSpanProcessor.builder(OtlpHttpSpanExporter.builder()
                                            .setEndpoint(endpoint)
                                            .build())
                                    .build())
                            .build())
                    .build();
        }

        /** Combines the listeners as the program does. */
        RelayListener with(RelayListener listener) {
            return Listeners.all(
                    RelayListener.class,
                    List.of(listener, WaybillTracing.with(sdk).relay("kafka")));
        }

        @Override
        public void close() {
            sdk.close();
            receiver.stop(0);
        }
    }
}

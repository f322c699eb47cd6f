package io.waybill.opentelemetry;

import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Collection;
import java.util.stream.Collectors;

/** Sends spans to Zipkin, which does not read OTLP by itself, in its own format. */
final class ZipkinExporter implements SpanExporter {
    private final HttpClient client = HttpClient.newHttpClient();
    private final URI spans;
    private final String service;

    ZipkinExporter(String zipkin, String service) {
        this.spans = URI.create(zipkin + "/api/v2/spans");
        this.service = service;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> finished) {
        String body = finished.stream().map(this::json).collect(Collectors.joining(",", "[", "]"));
        try {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(spans)
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString());
            return answer.statusCode() < 300 ? CompletableResultCode.ofSuccess() : CompletableResultCode.ofFailure();
        } catch (IOException e) {
            return CompletableResultCode.ofFailure();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableResultCode.ofFailure();
        }
    }

    private String json(SpanData span) {
        StringBuilder json = new StringBuilder("{\"traceId\":\"").append(span.getTraceId());
        json.append("\",\"id\":\"").append(span.getSpanId()).append('"');
        if (span.getParentSpanContext().isValid()) {
            json.append(",\"parentId\":\"").append(span.getParentSpanId()).append('"');
        }
        json.append(",\"kind\":\"").append(span.getKind()).append('"');
        json.append(",\"name\":").append(text(span.getName()));
        json.append(",\"timestamp\":").append(span.getStartEpochNanos() / 1_000);
        json.append(",\"duration\":")
                .append(Math.max(1, (span.getEndEpochNanos() - span.getStartEpochNanos()) / 1_000));
        json.append(",\"localEndpoint\":{\"serviceName\":")
                .append(text(service))
                .append("},\"tags\":{");
        StringBuilder tags = new StringBuilder();
        span.getAttributes().forEach((key, value) -> tag(tags, key.getKey(), String.valueOf(value)));
        if (span.getStatus().getStatusCode() == StatusCode.ERROR) {
            tag(tags, "error", span.getStatus().getDescription());
        }
        return json.append(tags).append("}}").toString();
    }

    private static void tag(StringBuilder tags, String name, String value) {
        tags.append(tags.isEmpty() ? "" : ",").append(text(name)).append(':').append(text(value));
    }

    private static String text(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + '"';
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}

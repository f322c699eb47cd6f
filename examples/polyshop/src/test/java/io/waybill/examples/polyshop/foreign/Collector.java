package io.waybill.examples.polyshop.foreign;

import com.sun.net.httpserver.HttpServer;
import io.waybill.examples.polyshop.service.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;

/** A collector of traces, which receives OTLP/HTTP with JSON. */
public final class Collector implements AutoCloseable {
    private final List<Span> spans = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    /** A span with the fields that tests read. */
    public record Span(String name, String traceId, String spanId, String parentSpanId) {}

    public Collector() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/v1/traces", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            for (JsonNode span : Json.tree(body).at("/resourceSpans/0/scopeSpans/0/spans")) {
                spans.add(new Span(
                        span.path("name").asString(),
                        span.path("traceId").asString(),
                        span.path("spanId").asString(),
                        span.path("parentSpanId").asString("")));
            }
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
    }

    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public List<Span> spans() {
        return spans;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

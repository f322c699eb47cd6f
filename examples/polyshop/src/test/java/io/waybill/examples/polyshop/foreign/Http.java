package io.waybill.examples.polyshop.foreign;

import io.waybill.examples.polyshop.service.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Requests to a service on this machine. */
public final class Http {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Http() {}

    /** An answer with its body. */
    public record Answer(int status, JsonNode body) {}

    public static Answer send(int port, String method, String path, Map<String, String> headers, String body) {
        try {
            return trySend(port, method, path, headers, body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As {@link #send}, for a service that may be down. */
    public static Answer trySend(int port, String method, String path, Map<String, String> headers, String body)
            throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(LIMIT)
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        try {
            HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), Json.tree(response.body().isEmpty() ? "{}" : response.body()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}

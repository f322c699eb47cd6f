package io.waybill.examples.polyshop.launcher;

import io.waybill.examples.polyshop.service.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A user of the shop: sends requests to the gateway, with a token if logged in. */
public final class Client {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    private final String base;
    private final @Nullable String token;

    private Client(String base, @Nullable String token) {
        this.base = base;
        this.token = token;
    }

    /** A client without a token. */
    public static Client of(String base) {
        return new Client(base, null);
    }

    public Client withToken(String accessToken) {
        return new Client(base, accessToken);
    }

    public Client login(String email, String password) {
        Answer answer = post("/auth/login", Map.of("email", email, "password", password));
        if (answer.status() != 200) {
            throw new IllegalStateException("The login of " + email + " failed: " + answer);
        }
        return withToken(answer.body().path("accessToken").stringValue());
    }

    /** @param text the body as it was sent */
    public record Answer(int status, String text, Map<String, java.util.List<String>> headers) {
        public JsonNode body() {
            return Json.tree(text.isEmpty() ? "null" : text);
        }

        public Optional<String> header(String name) {
            return headers.entrySet().stream()
                    .filter(header -> header.getKey().equalsIgnoreCase(name))
                    .map(header -> header.getValue().get(0))
                    .findFirst();
        }
    }

    public Answer get(String path) {
        return send("GET", path, null, Map.of());
    }

    public Answer post(String path, @Nullable Object body) {
        return send("POST", path, body == null ? null : Json.write(body), Map.of());
    }

    public Answer post(String path, Object body, String idempotencyKey) {
        return send("POST", path, Json.write(body), Map.of("Idempotency-Key", idempotencyKey));
    }

    public Answer send(String method, String path, @Nullable String body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(Duration.ofSeconds(30))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        headers.forEach(request::setHeader);
        try {
            HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(), response.body(), response.headers().map());
        } catch (IOException e) {
            return new Answer(0, Json.write(Map.of("message", e.toString())), Map.of());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}

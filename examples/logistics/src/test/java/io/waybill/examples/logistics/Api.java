package io.waybill.examples.logistics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An HTTP client of the service. */
final class Api {
    static final String ORDER = """
            {"customer_name": "Ann", "delivery_address": {"street": "Quay", "number": "7", "city": "Hamburg",
             "postal_code": "20457", "country_code": "DE"}, "freight": {"minor": 1000, "currency": "EUR"},
             "parcels": [{"weight_grams": 1}, {"weight_grams": 1}, {"weight_grams": 1}]}""";

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final JsonMapper JSON = new JsonMapper();

    private final int port;

    Api(int port) {
        this.port = port;
    }

    record Answer(int status, String text, java.net.http.HttpHeaders headers) {
        JsonNode body() {
            return JSON.readTree(text);
        }

        UUID id() {
            return UUID.fromString(body().path("id").asString());
        }

        String header(String name) {
            return headers.firstValue(name).orElse("");
        }
    }

    /** A request of a user for a tenant. */
    HttpRequest.Builder request(String method, String path, String user, UUID tenant, String json) {
        String login = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .header("X-Tenant-ID", tenant.toString())
                .method(
                        method,
                        json.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(json));
        if (!user.isEmpty()) {
            request.header("Authorization", "Basic " + login);
        }
        return json.isEmpty() ? request : request.header("Content-Type", "application/json");
    }

    Answer get(String path, String user, UUID tenant) {
        return send(request("GET", path, user, tenant, ""));
    }

    Answer place(String key, String json) {
        return send(
                request("POST", "/v2/orders", "dispatcher", Service.NORTH, json).header("Idempotency-Key", key));
    }

    /** Places an order of the tenant, and returns its id. */
    UUID place(UUID tenant) {
        return send(request("POST", "/v2/orders", "admin", tenant, ORDER)
                        .header("Idempotency-Key", UUID.randomUUID().toString()))
                .id();
    }

    Answer cancel(UUID order) {
        return send(
                request("PATCH", "/v2/orders/" + order, "dispatcher", Service.NORTH, "{\"status\": \"CANCELLED\"}"));
    }

    Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body(), response.headers());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}

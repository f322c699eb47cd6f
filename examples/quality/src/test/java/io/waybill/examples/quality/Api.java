package io.waybill.examples.quality;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An HTTP client of the service. */
public final class Api {
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private static final JsonMapper JSON = new JsonMapper();

    private final int port;
    private final Map<String, String> tokens = new ConcurrentHashMap<>();

    public Api(int port) {
        this.port = port;
    }

    /** A response. */
    public record Answer(int status, JsonNode body, String text, java.net.http.HttpHeaders headers) {
        public long id() {
            return body.path("id").asLong();
        }

        public String header(String name) {
            return headers.firstValue(name).orElse("");
        }
    }

    /** A user's token, asked for once. */
    public String token(String user) {
        return tokens.computeIfAbsent(
                user,
                name -> post("/auth/login", null, "{\"username\":\"" + name + "\",\"password\":\"" + name + "\"}")
                        .body()
                        .path("access_token")
                        .asString());
    }

    public Answer get(String path, String user) {
        return send(request("GET", path, token(user), null));
    }

    public Answer post(String path, @Nullable String user, String json) {
        return send(request("POST", path, user == null ? null : token(user), json));
    }

    public Answer patch(String path, String user, @Nullable String json) {
        return send(request("PATCH", path, token(user), json));
    }

    public long supplier(String name) {
        return post("/suppliers", "procurement", "{\"name\":\"" + name + "\"}").id();
    }

    public long nonconformity(long supplier, String severity) {
        return post(
                        "/ncs",
                        "quality",
                        "{\"supplier_id\":%d,\"severity\":\"%s\",\"description\":\"scratched\"}"
                                .formatted(supplier, severity))
                .id();
    }

    public HttpRequest.Builder request(String method, String path, @Nullable String token, @Nullable String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .method(
                        method,
                        json == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(json));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return json == null ? request : request.header("Content-Type", "application/json");
    }

    public Answer send(HttpRequest.Builder request) {
        try {
            return trySend(request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** For a service that may be dead. */
    public Answer trySend(HttpRequest.Builder request) throws IOException {
        try {
            HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
            String text = response.body();
            boolean json =
                    response.headers().firstValue("Content-Type").orElse("").contains("json");
            return new Answer(response.statusCode(), JSON.readTree(json ? text : "null"), text, response.headers());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}

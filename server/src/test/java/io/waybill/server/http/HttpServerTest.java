package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.config.Configuration;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServerTest {
    private static volatile boolean down;

    private static final HttpServer SERVER = HttpServer.start(
            options(Map.of()),
            new HttpContent(
                    () -> List.of(new HealthCheck("database", !down, "<script>alert(1)</script>")),
                    HttpServerTest::status,
                    () -> Optional.of(new SagaTotals(3, 2, 1, Duration.ofSeconds(9), Duration.ZERO)),
                    () -> "outbox_up 1\n",
                    List.of()));
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    static HttpOptions options(Map<String, String> settings) {
        return HttpOptions.of(Configuration.read(settings, List.of(), null, Map.of(), Path.of("")));
    }

    @AfterAll
    static void close() {
        SERVER.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/console/app.js",
                "/console/console.css",
                "/livez",
                "/readyz",
                "/metrics",
                "/api/status",
                "/absent",
                "/api",
                "/api.js",
                "/api.css",
                "/api/v1/openapi.json",
                "/api/v1/session"
            })
    void everyResponseHasTheSecurityHeaders(String path) throws Exception {
        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).isEqualTo(path.equals("/absent") ? 404 : 200);
        assertThat(header(answer, "Content-Security-Policy"))
                .contains("default-src 'none'", "script-src 'self'")
                .doesNotContain("unsafe");
        assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void thePageLoadsNothingFromOtherHosts() throws Exception {
        assertThat(get("/").body())
                .contains("/console/app.js")
                .doesNotContain("http:", "https:", "onclick", "<style", "<script>");
        assertThat(get("/api").body()).contains("/api.js").doesNotContain("http:", "https:", "<style", "<script>");
        assertThat(get("/api.js").body()).doesNotContain("innerHTML", "eval(", "http:", "https:");
    }

    @Test
    void readinessFollowsItsChecksAndLivenessDoesNot() throws Exception {
        assertThat(get("/readyz").body()).contains("\"ready\":true");
        down = true;
        try {
            HttpResponse<String> ready = get("/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body()).contains("\"ready\":false", "\"database\":{\"ok\":false");
            assertThat(get("/api/status").statusCode()).isEqualTo(503);
            assertThat(get("/api/status").body()).contains("\"error\":\"gone\"");
            assertThat(get("/livez").statusCode()).isEqualTo(200);
        } finally {
            down = false;
        }
    }

    @Test
    void theStatusContainsTheSagas() throws Exception {
        assertThat(get("/api/status").body())
                .contains("\"sagas\":{\"running\":3,\"compensating\":2,\"stuck\":1,\"oldestAgeSeconds\":9.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND"})
    void otherMethodsAreRejected(String method) throws Exception {
        HttpResponse<String> answer = CLIENT.send(
                HttpRequest.newBuilder(URI.create(SERVER.address() + "/api/status"))
                        .method(method, BodyPublishers.ofString("{}"))
                        .build(),
                BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(header(answer, "Allow")).isEqualTo("GET, HEAD, POST, DELETE");
    }

    @Test
    void probesOnTheirOwnPortHaveNoApi() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        HttpContent views = new HttpContent(List::of, HttpServerTest::status, Optional::empty, () -> "up 1", List.of());
        try (HttpServer server = HttpServer.start(options(Map.of("http.probe-port", Integer.toString(port))), views)) {
            assertThat(server.address()).doesNotContain(":" + port);
            assertThat(raw(port, "10.0.0.7:" + port)).startsWith("HTTP/1.1 200").contains("\"live\":true");
            for (String path : List.of("/metrics", "/readyz")) {
                assertThat(get(port, path).statusCode()).isEqualTo(200);
            }
            for (String path : List.of("/", "/api/status", "/api/v1/session", "/api/v1/outboxes", "/api")) {
                assertThat(get(port, path).statusCode()).as(path).isEqualTo(404);
            }
        }
    }

    @Test
    void foreignHostNamesAreRejected() throws IOException {
        int port = URI.create(SERVER.address()).getPort();
        assertThat(raw(port, "evil.example")).startsWith("HTTP/1.1 421");
        assertThat(raw(port, "localhost.evil.example")).startsWith("HTTP/1.1 421");
        assertThat(raw(port, "localhost:" + port)).startsWith("HTTP/1.1 200");
        assertThat(raw(port, "[::1]:" + port)).startsWith("HTTP/1.1 200");
    }

    @Test
    void aPortInUseIsReportedOrReplacedWhenNoneIsConfigured() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            HttpContent views = new HttpContent(List::of, HttpServerTest::status, Optional::empty, () -> "", List.of());
            assertThatThrownBy(() -> HttpServer.start(
                            options(Map.of("http.port", Integer.toString(taken.getLocalPort()))), views))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("--http-port");
            try (HttpServer second = HttpServer.start(options(Map.of()), views)) {
                assertThat(second.address()).isNotEqualTo(SERVER.address());
            }
        }
    }

    private static OutboxStatus status() {
        if (down) {
            throw new WaybillException("gone");
        }
        return new OutboxStatus(
                Instant.EPOCH, 1, 0, 0, 0, 0, 0, Duration.ofSeconds(2), 0, List.of(), List.of(), List.of());
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return get(URI.create(SERVER.address()).getPort(), path);
    }

    private static HttpResponse<String> get(int port, String path) throws Exception {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build(),
                BodyHandlers.ofString());
    }

    private static String header(HttpResponse<String> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }

    private static String raw(int port, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(("GET /livez HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

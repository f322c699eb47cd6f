package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.server.config.Configuration;
import io.waybill.server.http.outbox.ServedOutbox;
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
            new HttpContent(List.of(new FixedOutbox(Optional.empty(), () -> down)), () -> "outbox_up 1\n"));
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
        HttpContent views = new HttpContent(List.of(new FixedOutbox(Optional.empty(), () -> false)), () -> "up 1");
        try (HttpServer server = HttpServer.start(options(Map.of("http.probe-port", Integer.toString(port))), views)) {
            assertThat(server.address()).doesNotContain(":" + port);
            assertThat(raw(port, "10.0.0.7:" + port)).startsWith("HTTP/1.1 200").contains("\"live\":true");
            for (String path : List.of("/metrics", "/readyz")) {
                assertThat(get("http://127.0.0.1:" + port, path).statusCode()).isEqualTo(200);
            }
            for (String path : List.of("/", "/api/status", "/api/v1/session", "/api/v1/outboxes", "/api")) {
                assertThat(get("http://127.0.0.1:" + port, path).statusCode())
                        .as(path)
                        .isEqualTo(404);
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
            HttpContent views = new HttpContent(List.of(), () -> "");
            assertThatThrownBy(() -> HttpServer.start(
                            options(Map.of("http.port", Integer.toString(taken.getLocalPort()))), views))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("--http-port");
            try (HttpServer second = HttpServer.start(options(Map.of()), views)) {
                assertThat(second.address()).isNotEqualTo(SERVER.address());
            }
        }
    }

    @Test
    void outboxesWithNamesAreListedAndChosen() throws Exception {
        ServedOutbox order = new FixedOutbox(Optional.of("order"), () -> false);
        ServedOutbox payment = new FixedOutbox(Optional.of("payment"), () -> true);
        HttpContent content = new HttpContent(List.of(order, payment), () -> "");
        try (HttpServer server = HttpServer.start(options(Map.of()), content)) {
            assertThat(get(server, "/api/status").body())
                    .startsWith("{\"outboxes\":[{\"outbox\":\"order\",\"at\":")
                    .contains("{\"outbox\":\"payment\",\"error\":\"gone\"}");
            assertThat(get(server, "/api/status").statusCode()).isEqualTo(200);
            assertThat(get(server, "/api/status?outbox=order").body()).startsWith("{\"at\":");
            assertThat(get(server, "/api/status?outbox=payment").statusCode()).isEqualTo(503);
            assertThat(get(server, "/api/status?outbox=absent").statusCode()).isEqualTo(404);

            assertThat(get(server, "/readyz").statusCode()).isEqualTo(503);
            assertThat(get(server, "/readyz").body())
                    .contains(
                            "{\"ready\":false,\"outboxes\":{\"order\":{\"ready\":true,",
                            "\"payment\":{\"ready\":false,\"checks\":{\"database\":{\"ok\":false");
            assertThat(get(server, "/readyz?outbox=order").statusCode()).isEqualTo(200);

            assertThat(get(server, "/api/v1/outboxes").body())
                    .contains("{\"name\":\"order\",\"engine\":null,", "\"state\":\"down\",\"detail\":\"gone\"");
            assertThat(get(server, "/api/v1/outboxes/order/events").statusCode())
                    .isEqualTo(503);
            assertThat(get(server, "/api/v1/outboxes/order/events").body()).contains("The outbox is not open yet.");
            assertThat(get(server, "/api/v1/outboxes/main/events").statusCode()).isEqualTo(404);
        }
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return get(SERVER, path);
    }

    private static HttpResponse<String> get(HttpServer server, String path) throws Exception {
        return get(server.address(), path);
    }

    private static HttpResponse<String> get(String address, String path) throws Exception {
        return CLIENT.send(HttpRequest.newBuilder(URI.create(address + path)).build(), BodyHandlers.ofString());
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

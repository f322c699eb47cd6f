package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;
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
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServerTest {
    private static volatile boolean down;

    private static final HttpServer SERVER = HttpServer.start(
            "127.0.0.1",
            0,
            new HttpContent(List.of(new FixedOutbox(only(), () -> down)), () -> "outbox_up 1\n"));
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @AfterAll
    static void close() {
        SERVER.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/waybill.js", "/waybill.css", "/livez", "/readyz", "/metrics", "/api/status", "/absent"})
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
                .contains("/waybill.js")
                .doesNotContain("http:", "https:", "onclick", "<style", "<script>");
        assertThat(get("/waybill.js").body()).doesNotContain("innerHTML", "eval(", "http:", "https:");
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
        assertThat(get("/").body()).contains("id=\"sagas-stuck\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
    void otherMethodsThanGetAreRejected(String method) throws Exception {
        HttpResponse<String> answer = CLIENT.send(
                HttpRequest.newBuilder(URI.create(SERVER.address() + "/api/status"))
                        .method(method, BodyPublishers.ofString("{}"))
                        .build(),
                BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.body()).contains("Only GET");
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
            assertThatThrownBy(() -> HttpServer.start("127.0.0.1", taken.getLocalPort(), views))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("--http-port");
            try (HttpServer second = HttpServer.start("127.0.0.1", 0, views)) {
                assertThat(second.address()).isNotEqualTo(SERVER.address());
            }
        }
    }

    @Test
    void outboxesWithNamesAreListedAndChosen() throws Exception {
        Configuration settings = Configuration.read(
                Map.of(),
                List.of(),
                null,
                Map.of("WAYBILL_OUTBOXES_ORDER_ENGINE", "queue", "WAYBILL_OUTBOXES_PAYMENT_ENGINE", "queue"),
                Path.of(""));
        ServedOutbox order = new FixedOutbox(settings.outbox("order"), () -> false);
        ServedOutbox payment = new FixedOutbox(settings.outbox("payment"), () -> true);
        try (HttpServer server =
                HttpServer.start("127.0.0.1", 0, new HttpContent(List.of(order, payment), () -> ""))) {
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
        }
    }

    private static Configuration only() {
        return Configuration.read(Map.of(), List.of(), null, Map.of(), Path.of(""));
    }

    /** An outbox in a fixed state, without a database. */
    private record FixedOutbox(Configuration configuration, BooleanSupplier isDown) implements ServedOutbox {
        @Override
        public OutboxDatabase database() {
            throw new UnsupportedOperationException();
        }

        @Override
        public OutboxView view() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<HealthCheck> checks() {
            return List.of(new HealthCheck("database", !isDown.getAsBoolean(), "<script>alert(1)</script>"));
        }

        @Override
        public OutboxStatus status() {
            if (isDown.getAsBoolean()) {
                throw new WaybillException("gone");
            }
            return new OutboxStatus(
                    Instant.EPOCH, 1, 0, 0, 0, 0, 0, Duration.ofSeconds(2), 0, List.of(), List.of(), List.of());
        }

        @Override
        public Optional<SagaTotals> sagas() {
            return Optional.of(new SagaTotals(3, 2, 1, Duration.ofSeconds(9), Duration.ZERO));
        }
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return get(SERVER, path);
    }

    private static HttpResponse<String> get(HttpServer server, String path) throws Exception {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(server.address() + path)).build(), BodyHandlers.ofString());
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

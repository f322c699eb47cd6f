package io.waybill.examples.social;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.examples.social.page.Page;
import io.waybill.examples.social.source.Users;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
@SuppressWarnings("NullAway.Init") // JUnit calls open before the tests
final class PageTest {
    private static final String HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\"'${7*7}\\ \u202e";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static SocialCommerce system;
    private static Page page;

    @BeforeAll
    @Timeout(660) // the first time, DocumentDB is downloaded
    static void open() throws Exception {
        system = new SocialCommerce(
                SharedServers.mongoUri(),
                SharedServers.freshMongoName(),
                SharedServers.kafka().bootstrapServers());
        page = Page.start(system, 0);
    }

    @AfterAll
    static void close() {
        if (page != null) {
            page.close();
            system.models().drop();
            system.close();
        }
    }

    @Test
    void hostileTextStaysTextInTheJson() throws Exception {
        Users users = new Users(system.source());
        String id = users.create("MEMBER");
        users.updateProfile(id, HOSTILE, HOSTILE);
        try (Consumers consumers = new Consumers(system)) {
            for (Event event : consumers.appended()) {
                consumers.deliver(event);
            }
        }
        HttpResponse<String> answer = get("/api/state");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json; charset=utf-8");
        JsonNode pair = JsonMapper.builder()
                .build()
                .readTree(answer.body())
                .get("users")
                .get(0);
        assertThat(pair.get("source").get("display_name").asString()).isEqualTo(HOSTILE);
        assertThat(pair.get("projection").get("display_name").asString()).isEqualTo(HOSTILE);
    }

    @Test
    void thePageLoadsNothingFromElsewhereAndRunsNoInlineScript() throws Exception {
        HttpResponse<String> html = get("/");
        assertThat(html.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'")
                .doesNotContain("unsafe", "http");
        assertThat(html.body()).doesNotContain("http:", "https:", "<script>", "onclick");
        assertThat(get("/page.js").body())
                .contains("textContent")
                .doesNotContain("innerHTML", "insertAdjacent", "eval(");
    }

    @Test
    void commandsFromOtherSitesAreRefused() throws Exception {
        HttpRequest command = HttpRequest.newBuilder(URI.create(page.address() + "/api/rebuild/user-cards"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(CLIENT.send(command, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(403);
        assertThat(statusOfRequestFor("evil.example")).contains(" 403 ");
    }

    @Test
    void anUnknownProjectionIsNamedWithTheKnownOnes() throws Exception {
        HttpRequest command = HttpRequest.newBuilder(URI.create(page.address() + "/api/rebuild/nothing"))
                .header(Page.COMMAND_HEADER, "test")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = CLIENT.send(command, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("There is no projection nothing", "user-cards", "dlq-handler");
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(page.address() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** As a browser sends it after the name of a hostile site has been pointed to loopback. */
    private static String statusOfRequestFor(String host) throws IOException {
        int port = URI.create(page.address()).getPort();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream request = socket.getOutputStream();
            request.write(("GET /api/state HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

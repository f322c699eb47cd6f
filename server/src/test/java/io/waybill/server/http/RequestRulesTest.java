package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.http.ConsoleServer.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that a page of another site, or a hostile client, can send. */
class RequestRulesTest {
    @TempDir
    private static Path folder;

    private static ConsoleServer console;
    private static UUID dead;

    @BeforeAll
    static void start() throws Exception {
        console = ConsoleServer.start(folder, Map.of("http.host-names", "console.example"));
        dead = console.deadLetter("1", "broken");
    }

    @AfterAll
    static void stop() {
        console.close();
    }

    private static String discard() {
        return ConsoleServer.MAIN + "/events/" + dead + "/discard";
    }

    @ParameterizedTest
    @CsvSource({
        "Origin, https://evil.example",
        "Origin, null",
        "Origin, http://localhost.evil.example",
        "Origin, http://127.0.0.1:1",
        "Sec-Fetch-Site, cross-site",
        "Sec-Fetch-Site, same-site",
        "Sec-Fetch-Site, none"
    })
    void aPageOfAnotherSiteChangesNothing(String header, String value) throws Exception {
        Reply reply = console.act(discard(), header, value);
        assertThat(reply.status()).isEqualTo(403);
        assertThat(console.query("SELECT state FROM outbox_events WHERE id = '" + dead + "'"))
                .isEqualTo("DEAD_LETTER");
    }

    @Test
    void aPageOfAnotherSiteReadsNothing() {
        assertThat(console.get(ConsoleServer.MAIN + "/events", "Sec-Fetch-Site", "cross-site")
                        .status())
                .isEqualTo(403);
        assertThat(console.get("/api/status", "Origin", "https://evil.example").status())
                .isEqualTo(403);
        assertThat(console.get(
                                ConsoleServer.MAIN + "/events",
                                "Sec-Fetch-Site",
                                "same-origin",
                                "Origin",
                                console.server.address())
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/jsonp"
            })
    void aFormIsNoRequest(String type) {
        assertThat(console.act(discard(), "Content-Type", type).status()).isEqualTo(415);
    }

    @Test
    void aReboundNameIsRefusedAndAConfiguredOneIsNot() throws IOException {
        assertThat(raw("rebound.example:" + console.port())).startsWith("HTTP/1.1 421");
        assertThat(raw("console.example.evil.example")).startsWith("HTTP/1.1 421");
        assertThat(raw("console.example@evil.example")).startsWith("HTTP/1.1 4");
        assertThat(raw("console.example")).startsWith("HTTP/1.1 200");
        assertThat(raw("CONSOLE.example:8443")).startsWith("HTTP/1.1 200");
        assertThat(raw("127.0.0.1:" + console.port())).startsWith("HTTP/1.1 200");
    }

    private static String raw(String host) throws IOException {
        return console.raw("GET /api/v1/session HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{",
                "{\"reason\":\"r\"}",
                "{\"reason\":\"r\",\"actionId\":\"short\"}",
                "{\"reason\":\" \",\"actionId\":\"12345678\"}",
                "{\"reason\":1,\"actionId\":\"12345678\"}",
                "{\"reason\":\"r\",\"actionId\":\"12345678\",\"actor\":\"somebody else\"}",
                "{\"reason\":\"r\",\"reason\":\"s\",\"actionId\":\"12345678\"}",
                "{\"reason\":\"r\",\"actionId\":\"12345678\"} {}"
            })
    void anInvalidBodyIsAnErrorThatNamesTheProblem(String body) throws Exception {
        Reply reply = console.send("POST", discard(), body);
        assertThat(reply.status()).as(reply.body()).isEqualTo(400);
        assertThat(reply.json().get("detail").asString()).isNotBlank();
        assertThat(console.query("SELECT state FROM outbox_events WHERE id = '" + dead + "'"))
                .isEqualTo("DEAD_LETTER");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/events?limit=0",
                "/events?limit=1001",
                "/events?limit=many",
                "/events?state=NONE",
                "/events?olderThan=yesterday",
                "/events?cursor=forged",
                "/events?key=a&key=b",
                "/events/no-id",
                "/sagas?cursor=no-id",
                "/audit?refused=perhaps"
            })
    void anInvalidParameterIsAnError(String path) {
        Reply reply = console.get(ConsoleServer.MAIN + path);
        assertThat(reply.status()).as(reply.body()).isIn(400, 409);
    }

    @Test
    void anOversizedBodyIsRefusedWithoutBeingRead() {
        Reply reply = console.send("POST", discard(), "{\"reason\":\"" + "x".repeat(100_000) + "\"}");
        assertThat(reply.status()).isEqualTo(413);
    }

    @Test
    void oversizedHeadersAreRefused() throws IOException {
        String reply;
        try {
            reply = console.raw("GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(40_000) + "\r\n\r\n");
        } catch (SocketException closedBeforeItWasRead) {
            return;
        }
        assertThat(reply).startsWith("HTTP/1.1 431");
    }

    /** Neither half a head nor half a body keeps a connection: the server ends it although the client waits. */
    @Test
    void slowClientsLoseTheirConnections() throws IOException {
        String head = "POST " + discard() + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 1000\r\n";
        try (Socket inHead = begin(head);
                Socket inBody = begin(head + "\r\n{\"reason\":")) {
            for (Socket socket : new Socket[] {inHead, inBody}) {
                // Reads until the server closes the connection; without a limit of the server, this would never return.
                String reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(reply).doesNotContain("200 OK");
            }
        }
    }

    private static Socket begin(String text) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), console.port());
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%61pi/v1/outboxes",
                "/api%2Fv1%2Foutboxes",
                "/x/../api/v1/outboxes",
                "//api/v1/outboxes",
                "/api/v1;x/outboxes",
                "/API/v1/outboxes"
            })
    void anotherSpellingOfAPathReachesNoRoute(String path) throws IOException {
        assertThat(console.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n"
                        + "Connection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 4")
                .doesNotContain("\"engine\"");
    }

    @Test
    void errorsShowNoInternals() {
        Reply reply = console.get("/api/v1/outboxes/none/overview");
        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.json().get("remedy").asString()).contains("main");
        assertThat(reply.header("content-type")).startsWith("application/problem+json");
        assertThat(console.get("/api/v1/absent").json().get("type").asString()).isEqualTo("urn:waybill:not-found");
        assertThat(console.get("/api/v1/absent").body()).doesNotContain("Javalin", "io.waybill", "jetty");
    }
}

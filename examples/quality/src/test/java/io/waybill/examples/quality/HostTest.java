package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A page of a foreign site that resolves its own name to 127.0.0.1 (DNS rebinding) gets no answer. */
class HostTest {
    private static final String LOGIN = "{\"username\":\"admin\",\"password\":\"admin\"}";

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,             200",
        "127.0.0.1:8090,        200",
        "127.8.9.10,            200",
        "localhost:8090,        200",
        "LOCALHOST,             200",
        "[::1]:8090,            200",
        "evil.example,          421",
        "evil.example:8090,     421",
        "localhost.evil.example,421",
        "127.0.0.1.evil.example,421",
        "192.168.1.5,           421",
        "quality.example,       421",
        "'',                    421"
    })
    void onlyLoopbackNamesAreAccepted(String host, int status) throws IOException {
        assertThat(login(Service.shared(), host)).startsWith("HTTP/1.1 " + status);
    }

    @Test
    void theRefusalNamesTheSetting() throws IOException {
        assertThat(login(Service.shared(), "evil.example"))
                .contains("quality.hosts")
                .doesNotContain("access_token");
    }

    @Test
    void configuredHostNamesAreAccepted() throws IOException {
        try (Service service = Service.start(
                SharedServers.freshDatabase(), "--quality.worker=off", "--quality.hosts=quality.example,q.example")) {
            assertThat(login(service, "Quality.example:443")).startsWith("HTTP/1.1 200");
            assertThat(login(service, "q.example")).startsWith("HTTP/1.1 200");
            assertThat(login(service, "127.0.0.1")).startsWith("HTTP/1.1 200");
            assertThat(login(service, "evil.example")).startsWith("HTTP/1.1 421");
        }
    }

    /** Uses a plain socket, because Java's own client does not let a caller set the Host header. */
    private static String login(Service service, String host) throws IOException {
        int port = service.context().getEnvironment().getRequiredProperty("local.server.port", Integer.class);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(("POST /auth/login HTTP/1.1\r\nHost: " + host
                                    + "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: "
                                    + LOGIN.length() + "\r\n\r\n" + LOGIN)
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

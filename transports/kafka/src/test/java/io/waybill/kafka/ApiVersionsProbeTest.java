package io.waybill.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.waybill.WaybillException;
import io.waybill.embedded.FreePort;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.transport.Result;
import io.waybill.transport.Failure.Kind;
import io.waybill.transport.Message;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** Each way in which an address can turn out not to be Kafka, with real sockets. */
class ApiVersionsProbeTest {
    private static final InetAddress LOCAL = InetAddress.getLoopbackAddress();

    @Test
    void nothingListens() {
        refuses("127.0.0.1:" + FreePort.find(), Map.of(), "Nothing listens at 127.0.0.1:", "Start the broker");
    }

    @Test
    void theNameIsUnknown() {
        refuses("no-such-host.invalid:9092", Map.of(), "no-such-host.invalid cannot be resolved");
    }

    @Test
    void aWebServerAnswers() throws IOException {
        HttpServer web = HttpServer.create(new InetSocketAddress(LOCAL, 0), 10);
        web.start();
        try {
            refuses("127.0.0.1:" + web.getAddress().getPort(), Map.of(), "speaks HTTP, not Kafka");
        } finally {
            web.stop(0);
        }
    }

    @Test
    void somethingElseAnswers() throws IOException {
        try (ServerSocket mail =
                serve(socket -> socket.getOutputStream().write("220 mail ready\r\n".getBytes(US_ASCII)))) {
            refuses("127.0.0.1:" + mail.getLocalPort(), Map.of(), "does not speak Kafka");
        }
    }

    @Test
    void theServerDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, LOCAL)) {
            refuses("127.0.0.1:" + silent.getLocalPort(), Map.of(), "does not answer within");
        }
    }

    @Test
    void theConnectionIsClosedAtOnce() throws IOException {
        try (ServerSocket rude = serve(Socket::close)) {
            refuses("127.0.0.1:" + rude.getLocalPort(), Map.of(), "closed the connection", "security.protocol");
        }
    }

    @Test
    void theServerExpectsTls() throws Exception {
        SSLContext tls = SSLContext.getDefault();
        try (ServerSocket secure = serve(socket -> {
            try (SSLSocket session =
                    (SSLSocket) tls.getSocketFactory().createSocket(socket, "client", socket.getPort(), true)) {
                session.setUseClientMode(false);
                session.startHandshake();
            }
        })) {
            refuses("127.0.0.1:" + secure.getLocalPort(), Map.of(), "TLS", "security.protocol");
        }
    }

    @Test
    void theLoginFails() {
        Map<String, String> login = Map.of(
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"secret\";");
        String message = refuses(SharedServers.kafka().bootstrapServers(), login, "rejects the login", "the password");
        assertThat(message).doesNotContain("secret");
    }

    @Test
    void theClientCannotStart() {
        refuses(
                SharedServers.kafka().bootstrapServers(),
                Map.of("security.protocol", "SSL", "ssl.truststore.location", "/no/such/file"),
                "Cannot start a Kafka client",
                "/no/such/file");
    }

    @Test
    void oneGoodAddressIsEnough() {
        String servers =
                "127.0.0.1:" + FreePort.find() + "," + SharedServers.kafka().bootstrapServers();
        try (KafkaTransport transport = KafkaTransport.to(servers)) {
            transport.probe();
        }
    }

    /** Probes, then sends: both must fail soon. */
    private static String refuses(String servers, Map<String, String> settings, String... words) {
        try (KafkaTransport transport = KafkaTransport.builder(servers)
                .settings(settings)
                .sendTimeout(Duration.ofSeconds(4))
                .build()) {
            long start = System.nanoTime();
            assertThatThrownBy(transport::probe)
                    .isInstanceOf(WaybillException.class)
                    .hasMessageContainingAll(words)
                    .hasMessageEndingWith(".");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));

            Message message = new Message(UUID.randomUUID(), "topic", "key", new byte[1], Map.of());
            Result result = new Result(message);
            transport.send(message, result);
            return result.assertFailed(Kind.OUTAGE, Duration.ofSeconds(7)).reason();
        }
    }

    private interface Talk {
        void to(Socket socket) throws IOException;
    }

    private static ServerSocket serve(Talk talk) throws IOException {
        ServerSocket server = new ServerSocket(0, 10, LOCAL);
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try {
                    talk.to(server.accept());
                } catch (IOException clientOrServerGone) {
                    // the next one, or the end
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return server;
    }
}

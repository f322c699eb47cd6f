package io.waybill.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Versions that neither the class path nor the machine has. */
@Timeout(660) // the first time, they are downloaded
final class OtherVersionsTest {

    @TempDir
    Path folder;

    @Test
    void mariaDb10ServesAndSurvivesAKill() throws SQLException {
        Missing.abortWithout(DebianServer.MARIADB_10_11);
        Path home = DebianServer.MARIADB_10_11.home().resolve("usr");
        try (LocalMariaDb mariaDb = LocalMariaDb.start(folder, home)) {
            mariaDb.kill();
            mariaDb.restart();
            try (Connection connection = DriverManager.getConnection(mariaDb.jdbcUrl("mysql"));
                    ResultSet row = connection.createStatement().executeQuery("SELECT version()")) {
                row.next();
                assertThat(row.getString(1)).startsWith("10.11.");
            }
        }
    }

    @Test
    void theNewestNatsGreetsWithItsVersion() throws IOException {
        Missing.abortWithout(DebianServer.NATS);
        try (LocalNats nats = LocalNats.builder(folder).newest().start()) {
            nats.kill();
            nats.restart();
            assertThat(greeting(nats.port(), "", "\"go\"")).containsPattern("\"version\":\"2\\.1[0-9]");
        }
    }

    /** NATS has many threads. Its port is taken until the last one has ended, which can be after the main thread. */
    @Test
    void thePortOfAKilledServerIsFree() {
        Missing.abortWithout(DebianServer.NATS);
        try (LocalNats nats = LocalNats.builder(folder).newest().start()) {
            for (int round = 0; round < 20; round++) {
                nats.kill();
                assertThat(FreePort.isFree(nats.port())).as("round %s", round).isTrue();
                nats.restart();
            }
        }
    }

    @Test
    void aFailedStartShowsTheLogAndFreesTheFolder() {
        Missing.abortWithout(DebianServer.NATS);
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> LocalNats.builder(folder)
                            .newest()
                            .setting("max_payload: several")
                            .start())
                    .isInstanceOf(LocalServerException.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("nats.conf:3");
        }
    }

    @Test
    void theNewestRabbitGreetsWithItsVersion() throws IOException {
        Missing.abortWithout(DebianServer.RABBITMQ);
        try (LocalRabbit rabbit = LocalRabbit.builder(folder).newest().start()) {
            rabbit.kill();
            rabbit.restart();
            rabbit.control("await_startup");
            assertThat(greeting(rabbit.port(), "AMQP\0\0\t\1", "en_US")).containsPattern("version(?s:.{5})4\\.");
        }
    }

    /** Returns what the server sends, up to and including the end. */
    private static String greeting(int port, String request, String end) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(FreePort.localAddress(port), 5_000);
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            StringBuilder greeting = new StringBuilder();
            while (greeting.indexOf(end) < 0) {
                int next = socket.getInputStream().read();
                assertThat(next).as("after %s", greeting).isNotNegative();
                greeting.append((char) next);
            }
            return greeting.toString();
        }
    }
}

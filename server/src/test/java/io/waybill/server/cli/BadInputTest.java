package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.cli.Waybill.Result;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each mistake results in a message with the cause and the remedy, and in an exit code, and loses no events. */
class BadInputTest {
    @TempDir
    private Path folder;

    private Waybill waybill;
    private String database;

    @BeforeEach
    void applySchema() {
        database = SharedServers.freshDatabase();
        waybill = new Waybill(folder).with("WAYBILL_DATABASE_URL", database);
        assertThat(waybill.run("schema", "apply").exit()).isZero();
    }

    @Test
    void aPayloadThatIsNotJsonIsRejected() {
        refused(append("--key", "1", "--payload", "{bad"), 2, "The payload is not JSON", "column");
        refused(append("--key", "1", "--payload", ""), 2, "The payload is empty");
        refused(append("--key", "1", "--payload", "{} {}"), 2, "more than one JSON value");
        refused(append("--key", "1", "--payload", "@absent.json"), 2, "Cannot read the payload file");
    }

    @Test
    void emptyKeysNulAndHalfSurrogatesAreRejected() {
        refused(append("--key", ""), 2, "The key of an event must not be empty");
        refused(append("--key", "a\0b"), 2, "NUL character");
        refused(append("--key", "1", "--header", "h=\ud800"), 2, "surrogate");
        refused(append("--key", "x".repeat(300)), 2, "300 characters long");
        refused(waybill.run("append", "--type", "t"), 2, "--aggregate-type is missing");
    }

    @Test
    void twentyMegabytesOfPayload() throws IOException {
        String large = "{\"x\":\"" + "y".repeat(20_000_000) + "\"}";
        refused(
                waybill.input("{\"type\":\"t\",\"aggregateType\":\"T\",\"key\":\"1\",\"payload\":" + large + "}\n")
                        .run("append"),
                2,
                "Line 1",
                "20000008 bytes",
                "1MB",
                "outbox.max-payload");
        Files.writeString(folder.resolve("large.json"), large);
        refused(append("--key", "1", "--payload", "@large.json"), 2, "large.json", "1MB");
        assertThat(append("--key", "1", "--payload", "@large.json", "--outbox-max-payload", "30MB")
                        .exit())
                .isZero();
    }

    @Test
    void linesThatAreNotEventsAreRejected() {
        refused(waybill.input("[]\n").run("append"), 2, "Line 1", "not a JSON object");
        refused(waybill.input("\n{\"type\":\n").run("append"), 2, "Line 2", "not valid JSON");
        refused(waybill.input("{\"typ\":\"x\"}\n").run("append"), 2, "unknown field 'typ'", "Did you mean 'type'?");
        refused(
                waybill.input("{\"type\":\"t\",\"aggregateType\":\"T\",\"key\":\"1\",\"id\":\"7\"}\n")
                        .run("append"),
                2,
                "id must be a UUID");
        refused(
                waybill.input("{\"type\":\"t\",\"aggregateType\":\"T\",\"key\":\"1\",\"headers\":{\"a\":{}}}\n")
                        .run("append"),
                2,
                "header 'a' must be a string");
    }

    @Test
    void unreachableUnknownAndForeignDatabases() throws IOException {
        refused(
                waybill.run("status", "--database", "jdbc:postgresql://127.0.0.1:1/x"),
                3,
                "Cannot reach the database at 127.0.0.1:1/x",
                "connection refused");
        String absent = database.replaceFirst("/test_\\d+", "/absent");
        refused(waybill.run("status", "--database", absent), 3, "There is no such database", "/absent");
        refused(
                waybill.run("status", "--database", "jdbc:oracle://h/d"),
                2,
                "Use one of",
                "jdbc:postgresql:",
                "jdbc:h2:");
        refused(
                waybill.run("status", "--database", "jdbc:mariadb://127.0.0.1:1/x"),
                3,
                "Cannot reach the database at 127.0.0.1:1/x");
        try (ServerSocket http = answering("HTTP/1.1 400 Bad Request\r\n\r\n")) {
            refused(
                    waybill.run("status", "--database", "jdbc:postgresql://127.0.0.1:" + http.getLocalPort() + "/x"),
                    3,
                    "does not use PostgreSQL's protocol");
        }
    }

    @Test
    void wrongPassword() throws Exception {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE locked LOGIN PASSWORD 'right'");
            Path rules = Path.of(text(statement, "SHOW hba_file"));
            Files.writeString(rules, "host all locked 127.0.0.1/32 scram-sha-256\n" + Files.readString(rules));
            statement.execute("SELECT pg_reload_conf()");
        }
        waybill.with("WAYBILL_DATABASE_USER", "locked");
        Awaitility.await()
                .untilAsserted(() -> refused(waybill.run("status"), 3, "requires a password for user locked"));
        refused(
                waybill.with("WAYBILL_DATABASE_PASSWORD", "planted").run("status"),
                3,
                "refused the password of user locked",
                "database.password");
        assertThat(waybill.run("relay", "--broker", "127.0.0.1:1").exit()).isEqualTo(3);
    }

    @Test
    void missingPrivileges() throws SQLException {
        String role = "guest_" + System.nanoTime();
        execute("CREATE ROLE " + role + " LOGIN");
        waybill.with("WAYBILL_DATABASE_USER", role);
        refused(append("--key", "1"), 3, "privilege is missing", role);
        execute("GRANT SELECT ON waybill_schema TO " + role);
        refused(append("--key", "1"), 3, "privilege is missing", "outbox_events");
        Result doctor = waybill.run("doctor", "--broker", SharedServers.kafka().bootstrapServers());
        assertThat(doctor.exit()).isEqualTo(3);
        assertThat(doctor.out()).contains("GRANT SELECT, DELETE ON outbox_events TO " + role);
    }

    @Test
    void missingTablesAndSchemasOfAnotherVersion() throws SQLException {
        Waybill empty = new Waybill(folder).with("WAYBILL_DATABASE_URL", SharedServers.freshDatabase());
        refused(empty.run("status"), 3, "tables do not exist", "waybill schema apply");
        refused(empty.run("schema", "check"), 3, "tables do not exist");
        refused(empty.run("relay", "--broker", "127.0.0.1:1"), 3, "tables do not exist");
        execute("UPDATE waybill_schema SET version = 99");
        for (String command : new String[] {"status", "events"}) {
            refused(waybill.run(command), 3, "schema version 99", "newer Waybill");
        }
        refused(append("--key", "1"), 3, "schema version 99");
        refused(waybill.run("schema", "apply"), 3, "schema version 99");
        execute("UPDATE waybill_schema SET version = 1");
        execute("ALTER TABLE outbox_audit_events RENAME TO elsewhere");
        refused(waybill.run("status"), 3, "outbox_audit_events is missing");
    }

    @Test
    void brokersThatAreNotThereOrSomethingElse() throws IOException {
        refused(waybill.run("tail", "--topic", "t", "--broker", "127.0.0.1:1"), 4, "127.0.0.1:1");
        refused(
                waybill.run("tail", "--topic", "t", "--broker", "rabbit://h"),
                2,
                "unknown scheme rabbit.",
                "Known: kafka (kafka://",
                "rabbitmq (rabbitmq://",
                "nats (nats://");
        refused(waybill.run("tail", "--topic", "t", "--broker", "nats://h"), 2, "tail reads from Kafka");
        refused(waybill.run("tail", "--topic", "bad topic!", "--broker", "127.0.0.1:1"), 2, "bad topic!");
        refused(waybill.run("relay", "--once", "--broker", "rabbitmq://u:secret@"), 2, "RabbitMQ address");
        refused(waybill.run("relay", "--once", "--broker", "rabbitmq://u:secret@127.0.0.1:1"), 4, "127.0.0.1:1");
        refused(waybill.run("relay", "--once", "--broker", "nats://127.0.0.1:1"), 4, "127.0.0.1:1");
        refused(
                waybill.run("relay", "--once", "--broker", "nats://127.0.0.1:1", "--broker-setting", "acks=0"),
                2,
                "acks is not a broker setting for NATS");
        refused(waybill.run("tail", "--topic", "t", "--broker", "kafka://h:99999"), 2, "port 99999");
        try (ServerSocket http = answering("HTTP/1.1 400 Bad Request\r\n\r\n")) {
            String address = "127.0.0.1:" + http.getLocalPort();
            refused(waybill.run("tail", "--topic", "t", "--broker", address), 4, address);
            refused(waybill.run("relay", "--once", "--broker", address), 4, address);
        }
        refused(waybill.run("relay", "--once", "--broker", "127.0.0.1:1", "--broker-setting", "acks=0"), 2, "acks");
    }

    @Test
    void wrongUsage() {
        refused(waybill.run("statsu"), 2, "statsu", "--help");
        refused(waybill.run("status", "--databse", "x"), 2, "--databse", "--database");
        refused(waybill.run(), 2, "command is missing");
        refused(waybill.run("events", "--state", "lost"), 2, "Unknown state 'lost'");
        refused(waybill.run("events", "--limit", "100000"), 2, "from 1 to 1000");
        refused(waybill.run("events", "show", "nonsense"), 2, "nonsense");
        refused(waybill.run("events", "--older-than", "yesterday"), 2, "a duration such as");
        refused(waybill.run("status", "--relay-lease", "5s"), 2, "--relay-lease");
        refused(new Waybill(folder).run("status"), 2, "No database is configured", "./waybill up");
    }

    @Test
    void stackTracesArePrintedOnlyWithVerbose() {
        String[] args = {"status", "--database", "jdbc:postgresql://127.0.0.1:1/x"};
        assertThat(waybill.run(args).err()).doesNotContain("\tat ");
        assertThat(waybill.run(args[0], args[1], args[2], "--verbose").err()).contains("\tat ");
    }

    private Result append(String... more) {
        String[] args = new String[more.length + 5];
        System.arraycopy(new String[] {"append", "--type", "t", "--aggregate-type", "T"}, 0, args, 0, 5);
        System.arraycopy(more, 0, args, 5, more.length);
        return waybill.run(args);
    }

    private void refused(Result result, int exit, String... parts) {
        assertThat(result.err())
                .startsWith("waybill: ")
                .contains(parts)
                .doesNotContain("\tat ", "Exception", "planted");
        assertThat(result.err().lines().count()).isLessThanOrEqualTo(2);
        assertThat(result.exit()).isEqualTo(exit);
        assertThat(result.out()).isEmpty();
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            assertThat(text(statement, "SELECT count(*) FROM outbox_events")).isEqualTo("0");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    /** A server that sends the same bytes to every client and closes the connection. */
    private static ServerSocket answering(String text) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                    client.getInputStream().read(new byte[1_024]);
                    client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException closed) {
                    // the client or the test has ended
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return server;
    }
}

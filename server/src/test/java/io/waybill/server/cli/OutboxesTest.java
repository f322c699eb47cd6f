package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import io.waybill.server.up.UpProcess;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * One process relays the outboxes of several databases: {@code order}; {@code payment}, a table of another program; {@code stock},
 * behind a network that fails; {@code late}, which does not exist yet; {@code east} and {@code west}, two schemas of one database.
 */
class OutboxesTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String RUN = UUID.randomUUID().toString();

    @TempDir
    private static Path folder;

    private static final String ORDER = SharedServers.freshDatabase();
    private static final String PAYMENT = SharedServers.freshDatabase();
    private static final String STOCK = SharedServers.freshDatabase();
    private static final String REGIONS = SharedServers.freshDatabase();
    private static final String LATE_NAME = "late_" + RUN.replace('-', '_');

    private static TcpProxy network;
    private static UpProcess relay;
    private static int port;

    @BeforeAll
    static void start() throws Exception {
        execute(REGIONS, "CREATE SCHEMA east");
        execute(REGIONS, "CREATE SCHEMA west");
        execute(
                PAYMENT,
                "CREATE TABLE outbox_events (id uuid PRIMARY KEY, aggregate_type text, aggregate_id text NOT NULL,"
                        + " event_type text NOT NULL, payload jsonb NOT NULL, created_at timestamptz NOT NULL"
                        + " DEFAULT now(), processed boolean NOT NULL DEFAULT false, processed_at timestamptz,"
                        + " error_message text)");
        int server = SharedServers.postgres().port();
        network = TcpProxy.to(server);
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String late = ORDER.replaceFirst("/[^/?]+\\?", "/" + LATE_NAME + "?");
        Files.writeString(
                folder.resolve("waybill.yaml"),
                """
                broker: { url: "%s" }
                relay: { poll-every: 20ms }
                http: { port: %d }
                outboxes:
                  order:
                    database: { url: "%s" }
                    relay: { source: order-service }
                  payment:
                    database: { url: "%s" }
                    layout: processed-flag
                    relay: { source: payment-service }
                  stock: { database: { url: "%s" } }
                  late: { database: { url: "%s" } }
                  east: { database: { url: "%s&currentSchema=east" } }
                  west: { database: { url: "%s&currentSchema=west" }, engine: queue }
                """
                        .formatted(
                                SharedServers.kafka().bootstrapServers(),
                                port,
                                ORDER,
                                PAYMENT,
                                STOCK.replace(":" + server + "/", ":" + network.port() + "/"),
                                late,
                                REGIONS,
                                REGIONS));
        relay = UpProcess.launch(folder, "relay", "--apply-schema");
        for (String outbox : new String[] {"order", "payment", "stock", "east", "west"}) {
            relay.awaitOutput("[" + outbox + "] Relay ");
            eventually(() -> assertThat(get("/readyz?outbox=" + outbox).statusCode()).isEqualTo(200));
        }
    }

    @AfterAll
    static void stop() throws Exception {
        try (TcpProxy proxy = network) {
            assertThat(relay.terminate()).as(relay.output()).isZero();
        }
    }

    @Test
    void eachOutboxIsPublishedWithItsOwnSource() throws Exception {
        append("order", "outboxes.order." + RUN);
        append("east", "outboxes.east." + RUN);
        append("west", "outboxes.west." + RUN);
        execute(
                PAYMENT,
                "INSERT INTO outbox_events (id, aggregate_id, event_type, payload) VALUES (gen_random_uuid(), '7',"
                        + " 'outboxes.payment." + RUN + "', '{}')");
        assertThat(published("outboxes.order." + RUN).get("source").asString()).isEqualTo("order-service");
        assertThat(published("outboxes.payment." + RUN).get("source").asString()).isEqualTo("payment-service");
        assertThat(published("outboxes.east." + RUN).get("source").asString()).isEqualTo("waybill");
        assertThat(published("outboxes.west." + RUN).get("source").asString()).isEqualTo("waybill");
        assertThat(text(REGIONS, "SELECT count(*) FROM east.outbox_events")).isEqualTo("1");
        assertThat(text(REGIONS, "SELECT count(*) FROM west.outbox_events")).isEqualTo("1");
    }

    @Test
    void anUnreachableDatabaseDoesNotDisturbTheOthers() throws Exception {
        network.cut();
        eventually(() -> assertThat(get("/readyz?outbox=stock").statusCode()).isEqualTo(503));
        assertThat(get("/readyz?outbox=order").statusCode()).isEqualTo(200);
        append("order", "outboxes.meanwhile." + RUN);
        published("outboxes.meanwhile." + RUN);
        Result status = waybill().run("status", "--json");
        assertThat(status.exit()).isEqualTo(3);
        assertThat(outbox(status, "stock").get("error").asString()).contains("Cannot reach the database");
        assertThat(outbox(status, "order").get("liveRelays").asLong()).isEqualTo(1);

        network.heal();
        eventually(() -> append("stock", "outboxes.healed." + RUN));
        published("outboxes.healed." + RUN);
        eventually(() -> assertThat(get("/readyz?outbox=stock").statusCode()).isEqualTo(200));
    }

    @Test
    void anOutboxWhoseDatabaseIsMissingAtTheStartIsServedOnceItExists() throws Exception {
        relay.awaitOutput("[late] Cannot open the outbox");
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        assertThat(get("/readyz?outbox=late").body()).contains(LATE_NAME);
        assertThat(get("/api/status").body()).contains("{\"outbox\":\"late\",\"error\":\"");
        assertThat(get("/metrics").body())
                .contains("outbox_up{outbox=\"late\"} 0.0", "outbox_up{outbox=\"order\"} 1.0");
        execute(ORDER, "CREATE DATABASE " + LATE_NAME);
        eventually(() -> assertThat(get("/readyz?outbox=late").statusCode()).isEqualTo(200));
        append("late", "outboxes.late." + RUN);
        published("outboxes.late." + RUN);
    }

    @Test
    void everyMetricOfAnOutboxNamesIt() throws Exception {
        append("order", "outboxes.metrics." + RUN);
        published("outboxes.metrics." + RUN);
        eventually(() -> assertThat(get("/metrics").body())
                .containsPattern("outbox_published_total\\{outbox=\"order\"} [1-9]")
                .contains(
                        "outbox_published_total{outbox=\"payment\"}",
                        "outbox_lane_lag_seconds{lane=\"0\",outbox=\"order\"}",
                        "outbox_failure_count_total{kind=\"temporary\",outbox=\"west\"}"));
        assertThat(get("/metrics").body().lines().filter(line -> line.startsWith("outbox_")))
                .isNotEmpty()
                .allMatch(line -> line.contains("outbox=\""));
    }

    @Test
    void commandsForOneOutboxNeedItsName() {
        for (String[] command : new String[][] {
            {"events"}, {"dead-letters", "list"}, {"schema", "check"}, {"append", "--type", "t", "--key", "1"}
        }) {
            Result refused = waybill().run(command);
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("order, payment, stock, late, east, west", "--outbox NAME");
        }
        assertThat(waybill().run("schema", "check", "--outbox", "west").out()).contains("queue engine");
        assertThat(waybill().run("schema", "check", "--outbox", "wst").err()).contains("Did you mean 'west'?");
    }

    @Test
    void commandsForAllOutboxesTellThemApart() {
        assertThat(waybill().run("status").out()).contains("outbox order", "outbox west");
        assertThat(waybill().run("status", "--check", "--outbox", "order").exit()).isZero();
        JsonNode findings =
                Json.MAPPER.readTree(waybill().run("doctor", "--json").out()).get("findings");
        assertThat(findings).anySatisfy(finding -> {
            assertThat(finding.get("outbox").asString()).isEqualTo("west");
            assertThat(finding.get("check").asString()).isEqualTo("schema");
        });
        Result refused = waybill().run("status", "--database", ORDER);
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("--database concerns one outbox");
        assertThat(waybill().run("config").out())
                .contains("outboxes.payment.layout", "processed-flag", "waybill.yaml line ");
        assertThat(waybill().run("config", "--outbox", "payment", "--json").out())
                .contains("\"relay.source\":{\"value\":\"payment-service\"");
    }

    @Test
    void aSingleRunServesTheOutboxesThatItCan(@TempDir Path other) throws Exception {
        String good = SharedServers.freshDatabase();
        Files.writeString(
                other.resolve("waybill.yaml"),
                """
                broker: { url: "%s" }
                outboxes:
                  bad: { database: { url: "%s" } }
                  good: { database: { url: "%s" } }
                """
                        .formatted(SharedServers.kafka().bootstrapServers(), SharedServers.freshDatabase(), good));
        Waybill waybill = new Waybill(other);
        assertThat(waybill.run("schema", "apply", "--outbox", "good").exit()).isZero();
        append(waybill, "good", "outboxes.once." + RUN);
        Result run = waybill.run("relay", "--once");
        assertThat(run.out()).contains("Published 1 event of outbox good.");
        assertThat(run.err()).contains("outbox bad: ", "waybill schema apply");
        assertThat(run.exit()).isEqualTo(3);
    }

    private static Waybill waybill() {
        return new Waybill(folder);
    }

    private static void append(String outbox, String topic) {
        append(waybill(), outbox, topic);
    }

    private static void append(Waybill waybill, String outbox, String topic) {
        Result appended =
                waybill.run("append", "--outbox", outbox, "--type", topic, "--aggregate-type", "T", "--key", "1");
        assertThat(appended.exit()).as(appended.err()).isZero();
    }

    /** Returns the envelope of the first event of a topic. All outboxes publish to one broker, so no name is needed. */
    private static JsonNode published(String topic) {
        Result arrived =
                waybill().run("tail", "--topic", topic, "--from-beginning", "--max", "1", "--timeout", "4m", "--json");
        assertThat(arrived.exit()).as(arrived.err() + relay.output()).isZero();
        return Json.MAPPER.readTree(arrived.out()).get("value");
    }

    private static JsonNode outbox(Result status, String name) {
        for (JsonNode outbox : Json.MAPPER.readTree(status.out()).get("outboxes")) {
            if (outbox.get("outbox").asString().equals(name)) {
                return outbox;
            }
        }
        throw new AssertionError(name + " is missing: " + status.out());
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
                BodyHandlers.ofString());
    }

    private static void eventually(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(4))
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(assertion);
    }

    private static void execute(String database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(String database, String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}

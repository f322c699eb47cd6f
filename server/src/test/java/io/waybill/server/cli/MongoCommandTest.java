package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.config.Configuration;
import io.waybill.server.daemon.Daemon;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.known.Databases;
import io.waybill.testkit.servers.SharedServers;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program on MongoDB: chosen by the address, with the same commands. */
@Timeout(660) // the first test may download DocumentDB
@SuppressWarnings("NullAway.Init") // JUnit calls connect before each test
class MongoCommandTest {
    @TempDir
    private Path folder;

    private String name;
    private String url;
    private MongoClient client;

    @BeforeEach
    void connect() {
        String uri = SharedServers.mongoUri();
        name = SharedServers.freshMongoName();
        url = address(uri, name);
        client = MongoClients.create(uri);
    }

    @AfterEach
    void drop() {
        if (client != null) {
            client.getDatabase(name).drop();
            client.close();
        }
    }

    /** Returns the address with the name of a database, which a connection string of several servers need not have. */
    private static String address(String uri, String name) {
        ConnectionString parts = new ConnectionString(uri);
        String options = uri.contains("?") ? uri.substring(uri.indexOf('?')) : "";
        String servers = uri.replaceFirst("\\?.*", "").replaceFirst("(?<=[^/])/[^/]*$", "");
        assertThat(parts.getHosts()).isNotEmpty();
        return servers + "/" + name + options;
    }

    private Waybill waybill() {
        return new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", url)
                .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
    }

    private Result append(Waybill waybill, String key, String topic) {
        Result appended = waybill.run(
                "append",
                "--type",
                "order.placed",
                "--aggregate-type",
                "Order",
                "--key",
                key,
                "--topic",
                topic,
                "--payload",
                "{\"total\": 10}");
        assertThat(appended.exit()).as(appended.err()).isZero();
        return appended;
    }

    @Test
    void anEventTravelsAndIsSeenByEveryCommand() {
        Waybill waybill = waybill();
        String topic = "mongo." + UUID.randomUUID();
        Result missing = waybill.run("status");
        assertThat(missing.exit()).isEqualTo(3);
        assertThat(missing.err()).contains("outbox_events", "waybill schema apply");
        assertThat(waybill.run("schema", "apply").out()).contains("Schema version 1", "collections of MongoDB");
        assertThat(waybill.run("schema", "check", "--json").out()).contains("\"ok\":true", "\"engine\":\"queue\"");
        append(waybill, "42", topic);
        assertThat(waybill.run("status").out()).contains("pending       1 ");
        assertThat(waybill.run("events").out()).contains("order.placed", "PENDING");

        Result relayed = waybill.run("relay", "--once");

        assertThat(relayed.exit()).as(relayed.err()).isZero();
        assertThat(relayed.out()).contains("Published 1 event.");
        assertThat(waybill.run("events", "--state", "published").out()).contains("order.placed");
        assertThat(waybill.run("tail", "--topic", topic, "--from-beginning", "--max", "1", "--json")
                        .out())
                .contains("\"total\"", "order.placed");
        Result doctor = waybill.run("doctor");
        assertThat(doctor.exit()).as(doctor.out()).isZero();
        assertThat(doctor.out())
                .contains("MongoDB", "replica set rs0", "clock", "collections and indexes are complete");
    }

    /** As a service in Node or Python inserts it. */
    @Test
    void aDocumentOfAnotherProgramIsPublishedAndRepaired() {
        Waybill waybill = waybill();
        assertThat(waybill.run("relay", "--once", "--apply-schema").exit()).isZero();
        String id = UUID.randomUUID().toString();
        client.getDatabase(name)
                .getCollection("outbox_events")
                .insertOne(new Document("event_id", id)
                        .append("event_type", "order.refunded")
                        .append("entity_type", "Refund")
                        .append("entity_id", "7")
                        .append("entity_version", 1)
                        .append("topic", "order refunded") // Kafka refuses this name
                        .append("partition_key", "7")
                        .append("payload", new Document("total", 10))
                        .append("status", "pending")
                        .append("retry_count", 0)
                        .append("created_at", Instant.now()));
        assertThat(waybill.run("relay", "--once").exit()).isZero();
        assertThat(waybill.run("dead-letters", "list").out()).contains(id, "order refunded");
        assertThat(waybill.run("dead-letters", "show", id).out()).contains("\"total\"");

        Result replayed = waybill.run(
                "dead-letters",
                "replay",
                id,
                "--topic",
                "mongo." + UUID.randomUUID(),
                "--reason",
                "misspelled",
                "--no-wait");

        assertThat(replayed.exit()).as(replayed.err()).isZero();
        assertThat(waybill.run("relay", "--once").out()).contains("Published 1 event.");
        assertThat(waybill.run("events", "show", id).out()).contains("PUBLISHED", "misspelled");
    }

    @Test
    void linesAreAppendedInOneTransaction() {
        Waybill waybill = waybill();
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        String id = UUID.randomUUID().toString();
        String line = "{\"id\":\"" + id + "\",\"type\":\"order.placed\",\"aggregateType\":\"Order\",\"key\":\"1\"}\n";
        assertThat(waybill.input(line).run("append").out()).contains("Appended 1 event.");

        Result twice = waybill.input(line.replace(id, UUID.randomUUID().toString()) + line)
                .run("append");

        assertThat(twice.exit()).isEqualTo(2);
        assertThat(twice.err()).contains("already contains an event with the same id", "Nothing was written.");
        assertThat(waybill.run("status", "--json").out()).contains("\"pending\":1");
    }

    @Test
    void consumerGroupsAreShown() {
        Waybill waybill = waybill();
        Result missing = waybill.run("inbox", "status");
        assertThat(missing.exit()).isEqualTo(3);
        assertThat(missing.err()).contains("processed_events", "waybill inbox schema apply");
        assertThat(waybill.run("inbox", "schema", "apply").out()).contains("Inbox schema version 1 is in place");
        assertThat(waybill.run("inbox", "schema", "check").exit()).isZero();
        assertThat(waybill.run("inbox", "status").exit()).isZero();
        assertThat(waybill.run("inbox", "dead-letters", "list").err()).contains("No dead letters");
    }

    /** A relay with its HTTP server: health, status and metrics. */
    @Test
    void oneProcessServesAMongoDbAndARelationalOutbox() throws Exception {
        Files.writeString(folder.resolve("waybill.yaml"), """
                broker: { url: "%s" }
                outboxes:
                  documents: { database: { url: "%s" } }
                  rows: { database: { url: "%s" } }
                """.formatted(
                        SharedServers.kafka().bootstrapServers(), url, SharedServers.freshDatabase()));
        Waybill waybill = new Waybill(folder);
        for (String outbox : List.of("documents", "rows")) {
            assertThat(waybill.run("schema", "apply", "--outbox", outbox).exit())
                    .isZero();
            Result appended = waybill.run(
                    "append",
                    "--outbox",
                    outbox,
                    "--type",
                    "mongo." + UUID.randomUUID(),
                    "--aggregate-type",
                    "T",
                    "--key",
                    "1");
            assertThat(appended.exit()).as(appended.err()).isZero();
        }
        Result run = waybill.run("relay", "--once");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).contains("Published 1 event of outbox documents.", "Published 1 event of outbox rows.");
        assertThat(waybill.run("status").out()).contains("outbox documents", "outbox rows");
        assertThat(waybill.run("doctor").out()).contains("outbox documents", "outbox rows");
    }

    @Test
    void commandsThatNeedARelationalDatabaseSaySo() {
        Waybill waybill = waybill();
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        for (String[] command :
                new String[][] {{"failures"}, {"pauses"}, {"pause", "topic", "orders", "--reason", "a test"}}) {
            Result refused = waybill.run(command);
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("`waybill " + command[0] + "` does not support MongoDB yet.");
        }
    }

    @Test
    void aRelayServesItsHealthAndItsMetrics() throws Exception {
        Waybill waybill = waybill();
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        Configuration configuration =
                Configuration.read(Map.of("relay.idle-limit", "100ms"), List.of(), null, Map.of(), folder);
        DatabaseAddress address = Databases.parse(url, null, null);
        try (OutboxDatabase database = address.access().open(address, configuration)) {
            OutboxTables tables = database.outbox(configuration);
            BrokerAddress broker = BrokerAddress.parse(SharedServers.kafka().bootstrapServers());
            try (Daemon daemon = Daemon.start(configuration, tables, broker)) {
                append(waybill, "1", "mongo." + UUID.randomUUID());
                Awaitility.await()
                        .atMost(Duration.ofMinutes(2))
                        .untilAsserted(() -> assertThat(waybill.run("events", "--state", "published")
                                        .out())
                                .contains("order.placed"));
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(get(daemon, "/readyz")).contains(name, "version 1", "live"));
                assertThat(get(daemon, "/api/status")).contains("\"pending\":0", "\"liveRelays\":1");
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(get(daemon, "/metrics")).contains("outbox_pending_count 0.0"));
            }
        }
    }

    private static String get(Daemon daemon, String path) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(daemon.httpAddress() + path)).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "schema apply --engine journal",
                "schema lanes 16",
                "schema migrate --to journal",
                "schema check --layout claimed-status",
                "layout check claimed-status",
                "relay --once --relay-on-success delete",
                "sagas list",
                "sagas schema apply"
            })
    void whatMongoDbLacksIsRefusedWithARemedy(String command) {
        Waybill waybill = waybill();
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        Result refused = waybill.run(command.split(" "));
        assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
        assertThat(refused.err()).contains("MongoDB");
    }

    @Test
    void aMissingIndexIsNamed() {
        Waybill waybill = waybill();
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        client.getDatabase(name)
                .getCollection("outbox_events")
                .dropIndex(new Document("status", 1).append("published_at", 1));
        for (String command : List.of("status", "schema check", "relay --once")) {
            Result refused = waybill.run(command.split(" "));
            assertThat(refused.exit()).as(refused.out()).isEqualTo(3);
            assertThat(refused.err()).contains("published_at", "is missing", "waybill schema apply");
        }
        assertThat(waybill.run("doctor").out()).contains("FAIL  schema", "published_at");
    }

    @Test
    void theDemoChangesOrdersWithTheirEvents() {
        Waybill waybill = waybill();
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        Configuration configuration = Configuration.read(Map.of(), List.of(), null, Map.of(), folder);
        DatabaseAddress address = Databases.parse(url, null, null);
        try (OutboxDatabase database = address.access().open(address, configuration);
                io.waybill.server.database.DemoOrders orders =
                        database.outbox(configuration).demoOrders()) {
            orders.create(3);
            io.waybill.Event rolledBack = io.waybill.Event.of("order.placed", "Order", "1", "{}");
            orders.change(1, "placed", "1.00", changes -> rolledBack, false);
            io.waybill.Event committed = io.waybill.Event.of("order.paid", "Order", "1", "{}");
            orders.change(1, "paid", "1.00", changes -> committed, true);
            io.waybill.Event refund = io.waybill.Event.builder("order.refunded", "Refund", "9")
                    .topic("order refunded")
                    .payload("{\"refund\":\"9\"}")
                    .build();
            orders.insert(refund, 1);
            orders.insert(
                    io.waybill.Event.builder("order.refunded", "Refund", "8")
                            .topic("order refunded")
                            .build(),
                    1);
        }
        assertThat(waybill.run("events").out()).contains("order.paid", "order.refunded");
        assertThat(waybill.run("status", "--json").out()).contains("\"pending\":2");
    }
}

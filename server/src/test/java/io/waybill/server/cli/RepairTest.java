package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.Engine;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import io.waybill.server.config.Configuration;
import io.waybill.server.daemon.Daemon;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.known.Databases;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** An operator makes and repairs mistakes. */
class RepairTest {
    @TempDir
    private Path folder;

    private final String database = SharedServers.freshDatabase();
    private final String broker = SharedServers.kafka().bootstrapServers();

    private Waybill waybill() {
        return new Waybill(folder).with("WAYBILL_DATABASE_URL", database).with("WAYBILL_BROKER_URL", broker);
    }

    @ParameterizedTest
    @EnumSource
    void aReplayReportsTheOutcomeAndCanCorrectTheTopic(Engine engine) throws SQLException {
        waybill().run("schema", "apply", "--engine", engine.label());
        String id = UUID.randomUUID().toString();
        // Plain SQL, as a service in another language uses it: the topic is not checked.
        execute("INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, topic, payload)"
                + " VALUES ('" + id + "', 'Order', '42', 'order.placed', 'bad topic!', '{}')");
        Configuration configuration = Configuration.read(
                Map.of("relay.poll-every", "20ms", "relay.idle-limit", "50ms"), List.of(), null, Map.of(), folder);
        DatabaseAddress where = Databases.parse(database, null, null);
        OutboxTables tables = where.access().open(where, configuration).outbox(configuration);
        try (Daemon daemon = Daemon.start(configuration, tables, BrokerAddress.parse(broker))) {
            assertThat(daemon.relayName()).isNotEmpty();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(4))
                    .untilAsserted(() -> assertThat(
                                    waybill().run("dead-letters", "list").out())
                            .contains(id));

            Result failed = waybill().run("dead-letters", "replay", id, "--reason", "try again");
            assertThat(failed.out()).contains("1 dead letter replayed.", id + " failed again", "bad topic!");
            assertThat(failed.exit()).isEqualTo(1);

            Result asJson = waybill().run("dead-letters", "replay", id, "--reason", "again", "--json");
            assertThat(json(asJson.out()).get("outcomes").get(0).get("outcome").asString())
                    .isEqualTo("failed");

            Result refused = waybill().run("dead-letters", "replay", id, "--reason", "x", "--topic", "no good!");
            assertThat(refused.err()).contains("no good!", "letters, digits");
            assertThat(refused.exit()).isEqualTo(2);

            String topic = "repaired." + UUID.randomUUID();
            Result mended = waybill().run("dead-letters", "replay", id, "--reason", "corrected", "--topic", topic);
            assertThat(mended.out()).contains("1 dead letter replayed.", "1 published");
            assertThat(mended.exit()).isZero();
            assertThat(waybill().run("events", "show", id).out())
                    .contains(topic, "(topic set to " + topic + ")")
                    .containsPattern("published +(20\\d\\d-|time not recorded)");
        }
    }

    @Test
    void aReplayWithoutARelayReportsAPendingEvent() throws SQLException {
        waybill().run("schema", "apply", "--engine", "queue");
        waybill().run("append", "--type", "t", "--aggregate-type", "T", "--key", "1");
        execute("UPDATE outbox_events SET state = 'DEAD_LETTER', dead_at = now(), processed_at = now()");
        Result waits = waybill().run("dead-letters", "replay", "--all", "--reason", "mended");
        assertThat(waits.out()).contains("1 dead letter replayed.", "1 still pending", "No relay is running");
        assertThat(waits.exit()).isZero();
        execute("UPDATE outbox_events SET state = 'DEAD_LETTER', dead_at = now(), processed_at = now()");
        assertThat(waybill()
                        .run("dead-letters", "replay", "--all", "--reason", "mended", "--no-wait")
                        .out())
                .contains("1 dead letter replayed.")
                .doesNotContain("pending");
    }

    @Test
    void appendRejectsTopicsThatTheBrokerRejects() {
        waybill().run("schema", "apply");
        String[] kinds = {broker, "nats://127.0.0.1:1"};
        for (String kind : kinds) {
            Result result = waybill()
                    .run(
                            "append",
                            "--type",
                            "t",
                            "--aggregate-type",
                            "T",
                            "--key",
                            "1",
                            "--topic",
                            "bad topic!",
                            "--broker",
                            kind);
            assertThat(result.err()).contains("bad topic!", "Nothing was written");
            assertThat(result.exit()).isEqualTo(2);
        }
        Result type = waybill().run("append", "--type", "order placed", "--aggregate-type", "T", "--key", "1");
        assertThat(type.err()).contains("order placed", "--topic");
        Result line = waybill()
                .input("{\"type\":\"t\",\"aggregateType\":\"T\",\"key\":\"1\",\"topic\":\"bad/topic\"}\n")
                .run("append");
        assertThat(line.err()).contains("Line 1", "bad/topic", "Nothing was written");
        assertThat(waybill().run("events", "--json").out()).isEmpty();
        // A routing key of RabbitMQ may be any text.
        Result rabbit = waybill()
                .run(
                        "append",
                        "--type",
                        "t",
                        "--aggregate-type",
                        "T",
                        "--key",
                        "1",
                        "--topic",
                        "fine/topic",
                        "--broker",
                        "rabbitmq://127.0.0.1:1/");
        assertThat(rabbit.exit()).isZero();
    }

    @Test
    void anInvalidIdIsExplained() {
        for (String[] command : new String[][] {
            {"events", "show", "123"},
            {"dead-letters", "show", "123"},
            {"dead-letters", "replay", "123", "--reason", "x"}
        }) {
            Result result = waybill().run(command);
            assertThat(result.err())
                    .contains("'123' is not an event id", "such as 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11")
                    .doesNotContain("convert");
            assertThat(result.exit()).isEqualTo(2);
        }
    }

    @Test
    void errorsAreJsonWithTheJsonFlag() {
        Result[] failures = {
            waybill().run("events", "show", "123", "--json"),
            waybill().run("status", "--json", "--database", "jdbc:postgresql://127.0.0.1:1/x"),
            waybill().run("status", "--json", "--wrong"),
            waybill().run("events", "--json", "--limit", "0")
        };
        for (Result failure : failures) {
            assertThat(failure.err().lines()).hasSize(1);
            JsonNode error = json(failure.err());
            assertThat(error.get("exitCode").asInt()).isEqualTo(failure.exit()).isPositive();
            assertThat(error.get("error").asString()).isNotBlank();
        }
    }

    @Test
    void configShowsThePortOfUp() {
        JsonNode port = json(waybill().run("config", "--json").out()).get("http.port");
        assertThat(port.get("value").asString()).isEqualTo("8080");
        assertThat(port.get("origin").asString()).contains("default", "another free port");
        JsonNode given = json(waybill()
                        .run("config", "--json", "--http-port", "9999")
                        .out())
                .get("http.port");
        assertThat(given.get("value").asString()).isEqualTo("9999");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static JsonNode json(String text) {
        return Json.MAPPER.readTree(text);
    }
}

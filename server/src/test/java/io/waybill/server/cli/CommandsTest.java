package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.Engine;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

@ParameterizedClass
@EnumSource
class CommandsTest {
    private final Engine engine;

    @TempDir
    private Path folder;

    private Waybill waybill;
    private String database;

    CommandsTest(Engine engine) {
        this.engine = engine;
    }

    @BeforeEach
    void applySchema() {
        database = SharedServers.freshDatabase();
        waybill = new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", database)
                .with("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
        assertThat(waybill.run("schema", "apply", "--engine", engine.label()).exit())
                .isZero();
    }

    @Test
    void anAppendedEventIsListedShownRelayedAndArrives() {
        String topic = "commands." + UUID.randomUUID();
        Result appended = waybill.run(
                "append",
                "--type",
                "order.placed",
                "--aggregate-type",
                "Order",
                "--key",
                "42",
                "--payload",
                "{\"total\": 1.10}",
                "--header",
                "user-id=me",
                "--topic",
                topic,
                "--aggregate-version",
                "3",
                "--json");
        assertThat(appended.exit()).isZero();
        String id = json(appended.out()).get("id").asString();

        Result listed = waybill.run("events", "--state", "pending", "--key", "42", "--json");
        assertThat(json(listed.out()).get("id").asString()).isEqualTo(id);
        JsonNode shown = json(waybill.run("events", "show", id, "--json").out());
        assertThat(shown.get("headers").get("user-id").asString()).isEqualTo("me");
        assertThat(shown.get("aggregateVersion").asLong()).isEqualTo(3);
        assertThat(waybill.run("events", "show", id).out()).contains("{\"total\": 1.10}", "Order 42 version 3");

        Result relayed = waybill.run("relay", "--once");
        assertThat(relayed.out()).contains("Published 1 event.");
        assertThat(relayed.exit()).isZero();
        Result arrived =
                waybill.run("tail", "--topic", topic, "--from-beginning", "--max", "1", "--timeout", "20s", "--json");
        JsonNode arrivedRecord = json(arrived.out());
        assertThat(arrivedRecord.get("key").asString()).isEqualTo("42");
        assertThat(arrivedRecord.get("headers").get("event-id").asString()).isEqualTo(id);
        assertThat(arrived.out()).contains("\"data\":{\"total\": 1.10}");
        assertThat(waybill.run("tail", "--topic", topic, "--from-beginning", "--max", "1", "--timeout", "20s")
                        .out())
                .contains("key 42", "event-id: " + id);
        assertThat(json(waybill.run("events", "show", id, "--json").out())
                        .get("state")
                        .asString())
                .isEqualTo("PUBLISHED");
    }

    @Test
    void linesFromStandardInputAreOneTransaction() {
        StringBuilder lines = new StringBuilder();
        for (int i = 1; i <= 1_200; i++) {
            lines.append("{\"type\":\"t\",\"aggregateType\":\"T\",\"key\":\"k")
                    .append(i)
                    .append("\",\"payload\":{\"n\":")
                    .append(i)
                    .append(",\"x\":1.50}}\n");
        }
        Result wrong = waybill.input(lines + "{\"type\":\"t\",\"aggregateType\":\"T\"}\n")
                .run("append");
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err()).contains("Line 1201", "'key' is missing", "Nothing was written");
        assertThat(count("outbox_events")).isZero();

        Result partly = waybill.input(lines + "nonsense\n").run("append", "--commit-every", "1000");
        assertThat(partly.err()).contains("Line 1201", "The first 1,000 events were committed");
        assertThat(count("outbox_events")).isEqualTo(1_000);

        Result right = waybill.input(lines.toString()).run("append", "--json");
        assertThat(right.exit()).isZero();
        assertThat(json(right.out()).get("appended").asLong()).isEqualTo(1_200);
        assertThat(text("SELECT payload::text FROM outbox_events WHERE aggregate_id = 'k7' LIMIT 1"))
                .isEqualTo("{\"n\":7,\"x\":1.50}");
    }

    @Test
    void aBatchWithEqualIdsIsRejectedAsAWhole() {
        String line = "{\"id\":\"" + UUID.randomUUID() + "\",\"type\":\"t\",\"aggregateType\":\"T\",\"key\":\"1\"}\n";
        Result result = waybill.input(line + line).run("append");
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("Lines 1 to 2", "same id", "Nothing was written");
        assertThat(count("outbox_events")).isZero();
    }

    @Test
    void statusIsCorrectWithoutARelay() {
        assertThat(waybill.run("status").out()).contains("No relay is running.").doesNotContain("pending events wait");
        waybill.run("append", "--type", "t", "--aggregate-type", "T", "--key", "1");
        Result human = waybill.run("status");
        assertThat(human.out()).contains("pending       1", "No relay is running");
        assertThat(human.exit()).isZero();
        assertThat(waybill.run("status", "--check").exit()).isEqualTo(1);
        JsonNode status = json(waybill.run("status", "--json").out());
        assertThat(status.get("pending").asLong()).isEqualTo(1);
        assertThat(status.get("liveRelays").asLong()).isZero();
        assertThat(status.get("oldestAgeSeconds").asDouble()).isPositive();
    }

    @Test
    void deadLettersAreReplayedAndDiscardedWithAReason() throws SQLException {
        List<String> ids = deadLetters(3);
        assertThat(waybill.run("dead-letters", "list").out()).contains(ids.get(0), "broken");
        assertThat(waybill.run("dead-letters", "show", ids.get(0)).out()).contains("DEAD_LETTER", "broken");

        assertThat(waybill.run("dead-letters", "replay", ids.get(0)).err()).contains("--reason is missing");
        assertThat(waybill.run("dead-letters", "replay").err()).contains("Pass the ids of dead letters");
        Result dry = waybill.run("dead-letters", "replay", "--all", "--key", "k1", "--dry-run");
        assertThat(dry.out())
                .contains(ids.get(1), "1 dead letter would be replayed")
                .doesNotContain(ids.get(0));
        assertThat(count("outbox_audit")).isZero();

        Result replayed = waybill.run("dead-letters", "replay", ids.get(0), "--reason", "mended", "--actor", "ann");
        assertThat(replayed.out()).contains("1 dead letter replayed.");
        assertThat(text("SELECT actor || ' ' || reason FROM outbox_audit")).isEqualTo("ann mended");
        assertThat(waybill.run("events", "show", ids.get(0)).out()).contains("PENDING", "ann", "mended");
        Result again = waybill.run("dead-letters", "replay", ids.get(0), "--reason", "mended", "--json");
        assertThat(again.exit()).isEqualTo(5);
        assertThat(json(again.out()).get("notDeadLetters").get(0).asString()).isEqualTo(ids.get(0));
        assertThat(json(again.out()).get("changed")).isEmpty();
        Result all = waybill.run("dead-letters", "replay", "--all", "--dry-run", "--json");
        assertThat(json(all.out()).get("changed")).hasSize(2);
        assertThat(json(all.out()).get("notDeadLetters")).isEmpty();

        Result discarded = waybill.run("dead-letters", "discard", "--all", "--reason", "agreed");
        assertThat(discarded.out()).contains("2 dead letters discarded.");
        assertThat(waybill.run("dead-letters", "list").err()).contains("No dead letters.");
        assertThat(waybill.run("dead-letters", "show", ids.get(1)).exit()).isEqualTo(5);
    }

    @Test
    void listsShowTheErrorWithoutTopicAndKey() throws SQLException {
        String id = deadLetters(1).get(0);
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE " + (engine == Engine.JOURNAL ? "outbox_held" : "outbox_events")
                    + " SET last_error = 'Kafka at h:1 cannot take event " + id
                    + " (topic t, key k0): it has 7 bytes.'");
        }
        for (Result listed : List.of(waybill.run("dead-letters", "list"), waybill.run("events"))) {
            assertThat(listed.out()).contains("it has 7 bytes.").doesNotContain("cannot take");
        }
        assertThat(waybill.run("dead-letters", "show", id).out()).contains("Kafka at h:1 cannot take event " + id);
    }

    @Test
    void schemaIsPrintedAppliedTwiceAndChecked() {
        assertThat(waybill.run("schema", "print", "--database", "postgresql").out())
                .contains("CREATE TABLE outbox_events");
        assertThat(waybill.run("schema", "print", "--database", "oracle").exit())
                .isEqualTo(2);
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        assertThat(waybill.run("schema", "check").exit()).isZero();
        assertThat(json(waybill.run("schema", "check", "--json").out())
                        .get("ok")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void doctorChecksBothServers() {
        Result healthy = waybill.run("doctor", "--json");
        assertThat(healthy.exit()).isZero();
        assertThat(json(healthy.out()).get("healthy").asBoolean()).isTrue();
        assertThat(waybill.run("doctor").out()).contains("privileges", "clock", "message size", "No relay is running");
        Result large = waybill.run("doctor", "--outbox-max-payload", "20MB");
        assertThat(large.out()).contains("warn", "will become dead letters", "Raise max.message.bytes");
        Result topics = waybill.run("doctor", "--topic", "absent." + UUID.randomUUID(), "--topic", "not legal");
        assertThat(topics.out())
                .containsPattern("ok    topic absent.* does not exist yet; appears on first use")
                .containsPattern("FAIL  topic not legal .*is not a valid name");
        assertThat(topics.exit()).isEqualTo(1);
        Result broken = waybill.run("doctor", "--broker", "127.0.0.1:1");
        assertThat(broken.exit()).isEqualTo(4);
        assertThat(broken.out()).contains("FAIL", "127.0.0.1:1");
    }

    @Test
    void configShowsOriginsAndMasksSecrets() {
        Result shown = waybill.with("WAYBILL_DATABASE_PASSWORD", "planted").run("config", "--relay-lease", "33s");
        assertThat(shown.out())
                .contains("33s", "flag --relay-lease", "environment WAYBILL_DATABASE_PASSWORD")
                .doesNotContain("planted");
        assertThat(json(waybill.run("config", "--json").out())
                        .get("relay.lease")
                        .get("origin")
                        .asString())
                .isEqualTo("default");
    }

    @Test
    void hostileContentNeverReachesTheTerminal() {
        String hostile = "\u001b[2J\u0007\u202ex\nforged";
        waybill.run(
                "append",
                "--type",
                "t" + hostile,
                "--aggregate-type",
                "T",
                "--key",
                hostile,
                "--header",
                "h=" + hostile,
                "--topic",
                "hostile");
        String id = json(waybill.run("events", "--json").out()).get("id").asString();
        for (Result result : List.of(
                waybill.run("events"),
                waybill.run("events", "--json"),
                waybill.run("events", "show", id),
                waybill.run("events", "show", id, "--json"))) {
            assertThat(result.exit()).isZero();
            assertThat(result.out())
                    .doesNotContain("\u001b", "\u0007", "\u202e", "\nforged")
                    .contains("forged");
        }
    }

    private List<String> deadLetters(int count) throws SQLException {
        for (int i = 0; i < count; i++) {
            waybill.run("append", "--type", "t", "--aggregate-type", "T", "--key", "k" + i);
        }
        // The state in which the engine leaves a dead letter that blocks no key.
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    engine == Engine.JOURNAL
                            ? "INSERT INTO outbox_held (id, seq, aggregate_id, state, dead_at, settled_at, last_error, retry_count)"
                                    + " SELECT id, seq, aggregate_id, 'DEAD_LETTER', now(), now(), 'broken', 5 FROM outbox_events"
                            : "UPDATE outbox_events SET state = 'DEAD_LETTER', dead_at = now(), processed_at = now(),"
                                    + " last_error = 'broken', retry_count = 5");
        }
        return waybill.run("dead-letters", "list", "--json")
                .out()
                .lines()
                .map(line -> json(line).get("id").asString())
                .toList();
    }

    private long count(String table) {
        return Long.parseLong(text("SELECT count(*) FROM " + table));
    }

    private String text(String query) {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode json(String text) {
        return Json.MAPPER.readTree(text);
    }
}

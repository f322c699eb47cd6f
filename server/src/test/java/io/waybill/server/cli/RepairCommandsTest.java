package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The commands for failed events, blocked keys and pauses. */
class RepairCommandsTest {
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

    /** Appends two events of a key, of which the first one is held in this state and the second one is parked. */
    private String held(String state, String nextAttempt) throws SQLException {
        String id = json(waybill.run("append", "--type", "t", "--aggregate-type", "T", "--key", "k", "--json")
                        .out())
                .get("id")
                .asString();
        waybill.run("append", "--type", "t", "--aggregate-type", "T", "--key", "k");
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO outbox_held (id, seq, aggregate_id, state, next_attempt_at, dead_at, last_error)"
                            + " SELECT id, seq, aggregate_id, '" + state + "', " + nextAttempt + ", "
                            + (state.equals("DEAD_LETTER") ? "now()" : "null")
                            + ", 'Timeout after 17 ms' FROM outbox_events ORDER BY seq LIMIT 1");
            statement.execute(
                    "INSERT INTO outbox_held (id, seq, aggregate_id, state, next_attempt_at)"
                            + " SELECT id, seq, aggregate_id, 'PARKED', 'infinity' FROM outbox_events ORDER BY seq DESC LIMIT 1");
        }
        return id;
    }

    @Test
    void aBlockedKeyIsListedRetriedAndSkipped() throws SQLException {
        String id = held("PENDING", "now() + interval '1 hour'");
        JsonNode key = json(waybill.run("keys", "list", "--json").out());
        assertThat(key.get("id").asString()).isEqualTo(id);
        assertThat(key.get("cause").asString()).isEqualTo("RETRYING");
        assertThat(key.get("parked").asInt()).isEqualTo(1);
        assertThat(json(waybill.run("failures", "--json").out()).get("error").asString())
                .isEqualTo("Timeout after <number> ms");
        assertThat(waybill.run("failures").out()).contains("Timeout after <number> ms");

        assertThat(waybill.run("events", "retry", id, "--reason", "now", "--actor", "ann")
                        .out())
                .contains("1 due now.");
        Result skipped = waybill.run("events", "skip", id, "--reason", "agreed", "--actor", "ann", "--json");
        assertThat(json(skipped.out()).get("changed").get(0).asString()).isEqualTo(id);
        assertThat(waybill.run("events", "show", id).out()).contains("DISCARDED", "ann skip: agreed");
        assertThat(waybill.run("events", "skip", id, "--reason", "again").exit())
                .isEqualTo(1);
        assertThat(waybill.run("keys", "list", "--json").out()).isEmpty();
    }

    @Test
    void aKeyIsReleasedFromItsDeadLetter() throws SQLException {
        held("DEAD_LETTER", "'infinity'");
        assertThat(waybill.run("keys", "list").out()).contains("DEAD_LETTER");
        assertThat(waybill.run("keys", "release", "k").exit()).isEqualTo(2);
        assertThat(waybill.run("keys", "release", "k", "--reason", "independent")
                        .out())
                .contains("Released key k.");
        assertThat(waybill.run("keys", "release", "k", "--reason", "again").exit())
                .isEqualTo(1);
        assertThat(waybill.run("dead-letters", "list", "--json").out().lines()).hasSize(1);
    }

    @Test
    void aPauseIsListedAndEnded() {
        assertThat(waybill.run("pause", "topic", "orders", "--for", "1h", "--reason", "repair", "--actor", "ann")
                        .out())
                .contains("Paused topic orders until");
        JsonNode pause = json(waybill.run("pauses", "--json").out());
        assertThat(pause.get("scope").asString()).isEqualTo("TOPIC");
        assertThat(pause.get("actor").asString()).isEqualTo("ann");
        assertThat(waybill.run("pause", "planet", "x", "--reason", "r").exit()).isEqualTo(2);
        assertThat(waybill.run("resume", "topic", "orders", "--reason", "repaired")
                        .out())
                .contains("Resumed topic orders.");
        assertThat(waybill.run("resume", "topic", "orders", "--reason", "again").exit())
                .isEqualTo(1);
        assertThat(waybill.run("pauses", "--json").out()).isEmpty();
    }

    private static JsonNode json(String text) {
        return Json.MAPPER.readTree(text);
    }
}

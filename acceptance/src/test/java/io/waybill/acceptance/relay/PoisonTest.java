package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.acceptance.Report;
import io.waybill.acceptance.Scenario;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.TopicDump;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.FatalTransport;
import io.waybill.relay.RelayBuilder;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Invalid events that other software wrote become dead letters and do not stop other events (R10). */
class PoisonTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

    @Test
    void anOversizedEventIsADeadLetterAndItsKeyContinues() {
        EventRecord dead = deadLetter(
                "R10 oversized",
                "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload) VALUES"
                        + " ('%s', 'Account', 'bad', '%s', json_build_object('x', repeat('x', 2000000)))");
        assertThat(dead.lastError()).contains("bytes", "max.request.size");
    }

    @Test
    void anIllegalTopicIsADeadLetterAndItsKeyContinues() {
        EventRecord dead = deadLetter(
                "R10 illegal topic",
                "INSERT INTO outbox_events (id, topic, aggregate_type, aggregate_id, event_type, payload) VALUES"
                        + " ('%s', 'no good!', 'Account', 'bad', '%s', '{}')");
        assertThat(dead.lastError()).contains("no good!", "topic");
    }

    /** Writes an undeliverable event between two good events of its key, and an event of another key. */
    private static EventRecord deadLetter(String name, String insert) {
        try (Scenario scenario = new Scenario(name)) {
            UUID poison = UUID.randomUUID();
            good(scenario, "bad", 1);
            scenario.execute(insert.formatted(poison, scenario.topic()));
            good(scenario, "bad", 2);
            good(scenario, "other", 1);
            scenario.start(scenario.relay("relay", LEASE));
            scenario.awaitDrained();
            assertThat(payloads(scenario, "bad")).containsExactly("{\"n\":1}", "{\"n\":2}");
            assertThat(payloads(scenario, "other")).containsExactly("{\"n\":1}");
            EventRecord dead = scenario.view().event(poison).orElseThrow();
            assertThat(dead.state()).isEqualTo(EventState.DEAD_LETTER);
            Report.line(name, "dead: " + dead.lastError(), Duration.ZERO);
            return dead;
        }
    }

    /** Unusual but deliverable events must arrive as written. */
    @Test
    void unusualKeysHeadersAndPayloadsArriveAsWritten() {
        try (Scenario scenario = new Scenario("R10 odd but deliverable")) {
            UUID blank = odd(scenario, "'  '", "NULL", "'null'");
            UUID nul = odd(scenario, "'nul'", "'{\"a\":\"x\\u0000y\",\"b\":\"b\"}'", "'{\"a\":\"\\u0000\"}'");
            UUID nested = odd(scenario, "'nested'", "'{\"a\":{\"b\":[1, 2]},\"c\":1.50,\"d\":null}'", "'[]'");
            UUID unicode = odd(scenario, "'ключ 🔑'", "'{\"größe\":\"🔑\"}'", "'\"🔑\"'");
            scenario.start(scenario.relay("relay", LEASE));
            scenario.awaitDrained();
            assertThat(scenario.status().deadLetters()).isZero();
            assertThat(delivered(scenario, blank).key()).isEqualTo("  ");
            assertThat(delivered(scenario, blank).payload()).isEqualTo("null");
            assertThat(delivered(scenario, nul).headers()).containsAllEntriesOf(Map.of("a", "x\0y", "b", "b"));
            assertThat(delivered(scenario, nul).payload()).isEqualTo("{\"a\":\"\\u0000\"}");
            assertThat(delivered(scenario, nested).headers())
                    .containsAllEntriesOf(Map.of("a", "{\"b\":[1, 2]}", "c", "1.50"))
                    .doesNotContainKey("d");
            assertThat(delivered(scenario, unicode).key()).isEqualTo("ключ 🔑");
            assertThat(delivered(scenario, unicode).headers()).containsEntry("größe", "🔑");
        }
    }

    /** The json type accepts an escaped unpaired surrogate, but a UTF-8 header cannot contain one. */
    @Test
    void anInvalidHeaderIsADeadLetterAndNotAltered() {
        try (Scenario scenario = new Scenario("R10 half a surrogate pair")) {
            UUID poison = odd(scenario, "'bad'", "'{\"a\":\"\\ud83d\"}'", "'{}'");
            good(scenario, "bad", 1);
            scenario.start(scenario.relay("relay", LEASE));
            scenario.awaitDrained();
            assertThat(scenario.view().event(poison).orElseThrow().state()).isEqualTo(EventState.DEAD_LETTER);
            assertThat(payloads(scenario, "bad")).containsExactly("{\"n\":1}");
        }
    }

    /** The event crashes its relays. The crashes must be counted, the event must be sent alone, and other events must be published. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    void anEventThatCrashesItsRelaysBecomesADeadLetter(Engine engine) {
        try (Scenario scenario = new Scenario("R10 fatal to its relays", engine)) {
            good(scenario, "bad", 1);
            for (int n = 1; n <= 30; n++) {
                good(scenario, "other-" + n, 1);
            }
            UUID poison = odd(scenario, "'bad'", "NULL", "'{}'");
            good(scenario, "bad", 2);

            int deaths = 0;
            ChildProcess relay = scenario.process("victim-0", SHORT_LEASE, poison);
            while (scenario.view().event(poison).orElseThrow().state() != EventState.DEAD_LETTER) {
                if (relay.hasEnded()) {
                    assertThat(relay.awaitExit()).isEqualTo(FatalTransport.STATUS);
                    deaths++;
                    assertThat(deaths).as("relays that crashed with this event").isLessThan(15);
                    relay = scenario.process("victim-" + deaths, SHORT_LEASE, poison);
                }
                LockSupport.parkNanos(50_000_000);
            }

            scenario.awaitDrained();
            assertThat(deaths).isBetween(5, RelayBuilder.DEFAULT_RETRY.maxAttempts());
            EventRecord dead = scenario.view().event(poison).orElseThrow();
            assertThat(dead.lastError()).contains("The relay crashed");
            assertThat(scenario.status().deadLetters()).as("other dead letters").isEqualTo(1);
            List<Delivered> delivered = dump(scenario);
            assertThat(delivered.stream().map(Delivered::key).distinct()).hasSize(31);
            assertThat(payloads(scenario, "bad").stream().distinct()).containsExactly("{\"n\":1}", "{\"n\":2}");
            Report.line("R10 fatal to its relays, " + engine, deaths + " relays died of one event", Duration.ZERO);
        }
    }

    private static void good(Scenario scenario, String key, int n) {
        odd(scenario, "'" + key + "'", "NULL", "'{\"n\":" + n + "}'");
    }

    private static UUID odd(Scenario scenario, String key, String headers, String payload) {
        UUID id = UUID.randomUUID();
        scenario.execute("INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, headers, payload)"
                + " VALUES ('" + id + "', 'Account', " + key + ", '" + scenario.topic() + "', " + headers + ", "
                + payload + ")");
        return id;
    }

    private static List<String> payloads(Scenario scenario, String key) {
        return dump(scenario).stream()
                .filter(d -> d.key().equals(key))
                .map(Delivered::payload)
                .toList();
    }

    private static Delivered delivered(Scenario scenario, UUID id) {
        return dump(scenario).stream()
                .filter(d -> d.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static List<Delivered> dump(Scenario scenario) {
        return TopicDump.read(SharedServers.kafka().bootstrapServers(), scenario.topic());
    }
}

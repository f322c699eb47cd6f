package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.operate.EventRecord;
import io.waybill.operate.EventState;
import io.waybill.testkit.history.Delivered;
import io.waybill.testkit.history.TopicDump;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** R10: events that other software wrote against the rules end where a person sees them, and stop nobody else. */
class PoisonTest {
    private static final Duration LEASE = Duration.ofSeconds(10);

    @Test
    void anOversizedEventIsADeadLetterAndItsKeyGoesOn() {
        EventRecord dead = deadLetter(
                "R10 oversized",
                "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload) VALUES"
                        + " ('%s', 'Account', 'bad', '%s', json_build_object('x', repeat('x', 2000000)))");
        assertThat(dead.lastError()).contains("bytes", "max.request.size");
    }

    @Test
    void anIllegalTopicIsADeadLetterAndItsKeyGoesOn() {
        EventRecord dead = deadLetter(
                "R10 illegal topic",
                "INSERT INTO outbox_events (id, topic, aggregate_type, aggregate_id, event_type, payload) VALUES"
                        + " ('%s', 'no good!', 'Account', 'bad', '%s', '{}')");
        assertThat(dead.lastError()).contains("no good!", "topic");
    }

    /** Writes the poison between two good events of its key, and one of another key. */
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

    /** Odd but deliverable: they must arrive as written. */
    @Test
    void oddKeysHeadersAndPayloadsArriveAsWritten() {
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

    /** The json type lets half a surrogate pair pass in an escape; no UTF-8 header can carry it. */
    @Test
    void aHeaderThatNoBrokerCanCarryIsADeadLetterAndNotAltered() {
        try (Scenario scenario = new Scenario("R10 half a surrogate pair")) {
            UUID poison = odd(scenario, "'bad'", "'{\"a\":\"\\ud83d\"}'", "'{}'");
            good(scenario, "bad", 1);
            scenario.start(scenario.relay("relay", LEASE));
            scenario.awaitDrained();
            assertThat(scenario.view().event(poison).orElseThrow().state()).isEqualTo(EventState.DEAD_LETTER);
            assertThat(payloads(scenario, "bad")).containsExactly("{\"n\":1}");
        }
    }

    /** An event that ends every relay that touches it: the crash count must see it, and its neighbours must get through. */
    @Test
    void anEventThatEndsItsRelaysIsADeadLetterAtLast() {
        try (Scenario scenario = new Scenario("R10 fatal to its relays")) {
            good(scenario, "bad", 1);
            good(scenario, "other", 1);
            UUID poison = odd(scenario, "'bad'", "NULL", "'{}'");
            // as if ten relays had ended while they held it
            scenario.execute("UPDATE outbox_events SET retry_count = 10, crash_count = 10 WHERE id = '" + poison + "'");
            good(scenario, "bad", 2);
            scenario.start(scenario.relay("relay", LEASE));
            scenario.awaitDrained();
            EventRecord dead = scenario.view().event(poison).orElseThrow();
            assertThat(dead.state()).isEqualTo(EventState.DEAD_LETTER);
            assertThat(dead.lastError()).contains("relays ended");
            await().untilAsserted(
                            () -> assertThat(payloads(scenario, "bad")).containsExactly("{\"n\":1}", "{\"n\":2}"));
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

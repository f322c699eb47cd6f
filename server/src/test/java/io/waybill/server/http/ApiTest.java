package io.waybill.server.http;

import static io.waybill.server.http.ConsoleServer.MAIN;
import static io.waybill.server.http.ConsoleServer.action;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.server.http.ConsoleServer.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The API on a real database. {@link ConsoleServer} checks each response against the description. */
class ApiTest {
    @TempDir
    private static Path folder;

    private static ConsoleServer console;

    @BeforeAll
    static void start() {
        console =
                ConsoleServer.start(folder, Map.of("console.edit", "true", "console.mask", "$.card.number, $..secret"));
    }

    @AfterAll
    static void stop() {
        console.close();
    }

    private static String state(UUID id) throws SQLException {
        return console.query("SELECT state FROM outbox_events WHERE id = '" + id + "'");
    }

    private static List<String> ids(JsonNode page) {
        List<String> ids = new ArrayList<>();
        page.get("items").forEach(item -> ids.add(item.get("id").asString()));
        return ids;
    }

    @Test
    void eventsAreListedInPagesByEveryFilter() throws Exception {
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            wanted.add(console.append("paged.event", "page-" + i, "{}").toString());
        }
        List<String> seen = new ArrayList<>();
        String cursor = "";
        for (int pages = 0; pages < 10; pages++) {
            JsonNode page = console.read(MAIN + "/events?type=paged.*&state=PENDING&limit=2" + cursor);
            seen.addAll(ids(page));
            if (page.get("next").isNull()) {
                break;
            }
            cursor = "&cursor=" + URLEncoder.encode(page.get("next").asString(), StandardCharsets.UTF_8);
        }
        assertThat(seen).containsExactlyElementsOf(wanted);
        UUID dead = console.deadLetter("filtered", "Connection refused to shop.example");
        assertThat(ids(console.read(MAIN + "/events?error=REFUSED%20to&key=filtered&olderThan=0s&youngerThan=1h")))
                .containsExactly(dead.toString());
        assertThat(ids(console.read(MAIN + "/events?topic=order.placed&state=DEAD_LETTER&key=filtered")))
                .containsExactly(dead.toString());
        assertThat(ids(console.read(MAIN + "/events?trace=4bf92f3577b34da6a3ce929d0e0e4736")))
                .isEmpty();
    }

    @Test
    void anEventIsShownWithoutPayloadAndItsPayloadIsAuditedMaskedAndExact() throws Exception {
        String payload =
                "{\"n\": 12345678901234567890.1234567890123456789, \"card\": {\"number\": \"4111\", \"x\": 1.10},"
                        + " \"deep\": [{\"secret\": {\"a\": [1]}}], \"html\": \"<script>alert(1)</script>\"}";
        UUID id = console.append(Event.builder("card.paid", "Order", "k/ü %2F?#")
                .payload(payload)
                .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .build());
        Reply shown = console.get(MAIN + "/events/" + id);
        assertThat(shown.status()).isEqualTo(200);
        assertThat(shown.body()).doesNotContain("4111", "alert");
        assertThat(shown.json().get("traceId").asString()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
        assertThat(ids(console.read(
                        MAIN + "/events?trace=4bf92f3577b34da6a3ce929d0e0e4736&key=k/%C3%BC%20%252F%3F%23")))
                .containsExactly(id.toString());

        JsonNode preview = console.read(MAIN + "/events/" + id + "/payload");
        assertThat(preview.get("payload").asString())
                .isEqualTo(payload.replace("\"4111\"", "\"***\"").replace("{\"a\": [1]}", "\"***\""));
        assertThat(preview.get("masked").toString()).isEqualTo("[\"$..secret\",\"$.card.number\"]");
        JsonNode cut = console.read(MAIN + "/events/" + id + "/payload?limit=10");
        assertThat(cut.get("payload").asString()).isEqualTo("{\"n\": 1234");
        assertThat(cut.get("truncated").asBoolean()).isTrue();
        assertThat(console.query("SELECT count(*) FROM outbox_audit WHERE action = 'view-payload' AND detail = '" + id
                        + "' AND origin = '127.0.0.1'"))
                .isEqualTo("2");

        JsonNode trail = console.read(MAIN + "/keys/k%2F%C3%BC%20%252F%3F%23");
        assertThat(trail.get("key").asString()).isEqualTo("k/ü %2F?#");
        assertThat(trail.get("events").get(0).get("id").asString()).isEqualTo(id.toString());
    }

    @Test
    void aRepeatedRequestHasOneEffectAndOneAuditRow() throws Exception {
        UUID id = console.deadLetter("repeated", "no");
        UUID actionId = UUID.randomUUID();
        List<Reply> replies = Stream.generate(() -> 0)
                .limit(8)
                .parallel()
                .map(i -> console.send("POST", MAIN + "/events/" + id + "/replay", action(actionId, "")))
                .toList();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.status()).as(reply.body()).isEqualTo(200));
        assertThat(replies)
                .allSatisfy(reply ->
                        assertThat(reply.json().get("changed").toString()).isEqualTo("[\"" + id + "\"]"));
        assertThat(replies.stream()
                        .filter(reply -> !reply.json().get("repeated").asBoolean()))
                .hasSize(1);
        assertThat(state(id)).isEqualTo("PENDING");
        assertThat(console.query("SELECT count(*) FROM outbox_audit WHERE action_id = '" + actionId + "'"))
                .isEqualTo("1");
        assertThat(console.query(
                        "SELECT actor || ' ' || reason FROM outbox_audit WHERE action_id = '" + actionId + "'"))
                .isEqualTo(System.getProperty("user.name") + " a test");
        Reply reused = console.send("POST", MAIN + "/events/" + id + "/discard", action(actionId, ""));
        assertThat(reused.status()).isEqualTo(409);
    }

    @Test
    void actionsChangeTheEvent() throws Exception {
        UUID topic = console.deadLetter("topic", "no");
        assertThat(console.send(
                                "POST",
                                MAIN + "/events/" + topic + "/replay",
                                action(UUID.randomUUID(), ",\"topic\":\"order.corrected\""))
                        .status())
                .isEqualTo(200);
        assertThat(console.query("SELECT topic FROM outbox_events WHERE id = '" + topic + "'"))
                .isEqualTo("order.corrected");
        UUID discarded = console.deadLetter("discarded", "no");
        assertThat(console.act(MAIN + "/events/" + discarded + "/discard")
                        .json()
                        .get("changed")
                        .size())
                .isEqualTo(1);
        assertThat(state(discarded)).isEqualTo("DISCARDED");
        assertThat(console.act(MAIN + "/events/" + discarded + "/discard")
                        .json()
                        .get("changed")
                        .size())
                .isZero();
        UUID retrying = console.append("order.placed", "retrying", "{}");
        console.execute(
                "UPDATE outbox_events SET retry_count = 2, last_error = 'slow', next_attempt_at = now() + interval '1 hour'"
                        + " WHERE id = '" + retrying + "'");
        assertThat(console.read(MAIN + "/keys").toString()).contains(retrying.toString(), "RETRYING");
        assertThat(console.act(MAIN + "/events/" + retrying + "/retry")
                        .json()
                        .get("changed")
                        .size())
                .isEqualTo(1);
        assertThat(console.act(MAIN + "/events/" + retrying + "/skip").status()).isIn(200, 409);
        assertThat(console.act(MAIN + "/events/" + UUID.randomUUID() + "/skip").status())
                .isEqualTo(404);
        assertThat(console.act(MAIN + "/keys/nothing-blocked/release").status()).isEqualTo(409);
        assertThat(console.read(MAIN + "/events/" + discarded)
                        .get("history")
                        .get(0)
                        .get("action")
                        .asString())
                .isEqualTo("discard");
    }

    @Test
    void aCorrectedCopyIsAppendedUnlessTheOriginalChanged() throws Exception {
        UUID id = console.deadLetter("edited", "bad total");
        String hash =
                console.read(MAIN + "/events/" + id + "/payload").get("hash").asString();
        String edit = ",\"payload\":\"{\\\"total\\\":2}\",\"headers\":{\"a\":\"b\"},\"expectedHash\":\"";
        assertThat(console.send("POST", MAIN + "/events/" + id + "/edit", action(UUID.randomUUID(), edit + "0000\""))
                        .status())
                .isEqualTo(409);
        Reply reply =
                console.send("POST", MAIN + "/events/" + id + "/edit", action(UUID.randomUUID(), edit + hash + "\""));
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        JsonNode copy =
                console.read(MAIN + "/events/" + reply.json().get("newId").asString());
        assertThat(copy.get("headers").get("correction-of").asString()).isEqualTo(id.toString());
        assertThat(state(id)).isEqualTo("DISCARDED");
    }

    @Test
    void failuresAreGroupedAndPausesAreReasons() throws Exception {
        console.deadLetter("group-1", "Order 17 of 'shop' is unknown");
        console.deadLetter("group-2", "Order 18 of 'bakery' is unknown");
        JsonNode groups = console.read(MAIN + "/failures");
        assertThat(groups.get("items").toString()).contains("is unknown");
        String pause = ",\"scope\":\"TYPE\",\"value\":\"order.paused\"";
        assertThat(console.send("POST", MAIN + "/pauses", action(UUID.randomUUID(), pause))
                        .status())
                .isEqualTo(200);
        assertThat(console.read(MAIN + "/pauses").get("items").toString()).contains("order.paused");
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(
                                console.read(MAIN + "/overview").get("reasons").toString())
                        .contains("PAUSED", "Type order.paused is paused", "NO_RELAY"));
        assertThat(console.send("POST", MAIN + "/pauses/resume", action(UUID.randomUUID(), pause))
                        .status())
                .isEqualTo(200);
        assertThat(console.send("POST", MAIN + "/pauses/resume", action(UUID.randomUUID(), pause))
                        .status())
                .isEqualTo(409);
        assertThat(console.send("POST", MAIN + "/pauses", action(UUID.randomUUID(), ",\"scope\":\"KEY\""))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aBulkOperationIsCountedBeforeItIsConfirmed() throws Exception {
        UUID id = console.append("bulk.event", "bulk", "{}");
        console.execute(
                "UPDATE outbox_events SET state = 'DEAD_LETTER', retry_count = 3, dead_at = now(), processed_at = now(),"
                        + " last_error = 'no' WHERE id = '" + id + "'");
        Reply draft = console.send(
                "POST",
                MAIN + "/operations",
                action(
                        UUID.randomUUID(),
                        ",\"action\":\"discard\",\"filter\":{\"type\":\"bulk.event\"},\"ratePerSecond\":50"));
        assertThat(draft.status()).as(draft.body()).isEqualTo(201);
        assertThat(draft.json().get("total").asInt()).isEqualTo(1);
        assertThat(state(id)).isEqualTo("DEAD_LETTER");
        String operation = MAIN + "/operations/" + draft.json().get("id").asString();
        assertThat(console.act(operation + "/confirm").json().get("state").asString())
                .isEqualTo("CONFIRMED");
        assertThat(console.read(operation + "/results").get("items").size()).isZero();
        assertThat(console.act(operation + "/cancel").json().get("state").asString())
                .isEqualTo("CANCELLED");
        assertThat(console.read(MAIN + "/operations").get("items").size()).isEqualTo(1);
    }

    @Test
    void anExportHasNoFormulas() throws Exception {
        console.append("export.event", "=HYPERLINK(\"http://evil.example\")", "{}");
        Reply csv = console.get(MAIN + "/events.csv?type=export.event");
        assertThat(csv.header("content-disposition")).contains("attachment", "events.csv");
        assertThat(csv.body().lines().skip(1)).singleElement().asString().contains("\"'=HYPERLINK(\"\"http:");
        Reply lines = console.get(MAIN + "/events.jsonl?type=export.event");
        assertThat(lines.body().lines()).hasSize(1);
    }

    @Test
    void inboxDeadLettersAreShownReplayedAndDiscarded() throws Exception {
        UUID id = UUID.randomUUID();
        console.execute(
                "INSERT INTO inbox_dead_letters (consumer_group, event_id, event_type, entity_id, attempts, error_class,"
                        + " error, failed_at, topic, topic_partition, topic_offset, message_key, headers, value) VALUES ('billing', '"
                        + id
                        + "', 'order.placed', 'Order 1', 3, 'java.lang.IllegalStateException', 'no', now(), 'orders', 0, 7, '1',"
                        + " '{\"h\":\"v\"}', '{\"secret\":1,\"open\":1.10}')");
        assertThat(console.read(MAIN + "/inbox").get("items").toString()).contains("billing");
        String letters = MAIN + "/inbox/billing/dead-letters";
        assertThat(console.read(letters).get("items").toString()).contains(id.toString());
        assertThat(console.read(letters + "/" + id).get("headers").get("h").asString())
                .isEqualTo("v");
        assertThat(console.read(letters + "/" + id + "/payload").get("payload").asString())
                .isEqualTo("{\"secret\":\"***\",\"open\":1.10}");
        String once = action(UUID.randomUUID(), "");
        assertThat(console.send("POST", letters + "/" + id + "/discard", once)
                        .json()
                        .get("changed")
                        .size())
                .isEqualTo(1);
        Reply again = console.send("POST", letters + "/" + id + "/discard", once);
        assertThat(again.json().get("repeated").asBoolean()).isTrue();
        assertThat(console.query("SELECT count(*) FROM inbox_audit")).isEqualTo("1");
        assertThat(console.act(letters + "/" + id + "/replay")
                        .json()
                        .get("changed")
                        .size())
                .isZero();
    }

    @Test
    void sagasAreListed() {
        assertThat(console.read(MAIN + "/sagas?stuck=true&status=EXECUTING,FAILED")
                        .get("items")
                        .size())
                .isZero();
        assertThat(console.read(MAIN + "/sagas/stats").get("items").size()).isZero();
        assertThat(console.get(MAIN + "/sagas/" + UUID.randomUUID()).status()).isEqualTo(404);
        assertThat(console.act(MAIN + "/sagas/" + UUID.randomUUID() + "/retry").status())
                .isEqualTo(404);
    }

    @Test
    void theOutboxesAreListed() {
        JsonNode outbox = console.read("/api/v1/outboxes").get("items").get(0);
        assertThat(outbox.get("name").asString()).isEqualTo("main");
        assertThat(outbox.get("databaseProduct").asString()).isEqualTo("postgresql");
        assertThat(outbox.get("detail").asString()).contains("No relay");
    }

    /** All viewers receive the same samples: a hundred of them cost as much as one. */
    @Test
    void manyViewersShareTheSamples() throws Exception {
        List<Socket> viewers = new ArrayList<>();
        try {
            List<String> firsts = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                viewers.add(stream());
            }
            for (Socket viewer : viewers) {
                firsts.add(sample(viewer));
            }
            // The time of the database is in each sample: one query gives one time.
            assertThat(firsts.stream().distinct().count()).isLessThan(15);
            assertThat(firsts).allSatisfy(text -> assertThat(text).contains("\"reasons\":["));
        } finally {
            for (Socket viewer : viewers) {
                viewer.close();
            }
        }
    }

    private static Socket stream() throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(),
                URI.create(console.server.address()).getPort());
        socket.getOutputStream()
                .write(("GET " + MAIN + "/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String sample(Socket socket) throws IOException {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("data: ")) {
                return line;
            }
        }
        return "the stream ended";
    }
}

package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.PermanentException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import io.waybill.server.problem.Exit;
import io.waybill.testkit.servers.SharedServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import tools.jackson.databind.JsonNode;

class InboxCommandTest {
    @TempDir
    private Path folder;

    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private Waybill waybill;
    private boolean healed;

    @BeforeEach
    void aDatabaseIsThere() {
        String database = SharedServers.freshDatabase();
        source.setUrl(database);
        waybill = new Waybill(folder).with("WAYBILL_DATABASE_URL", database);
    }

    private Inbox<Connection> stock() {
        return Inbox.builder(JdbcInbox.on(source).store(), "stock")
                .on("order.placed", (connection, event) -> {
                    if (!healed) {
                        throw new PermanentException("No such product\u001b[2J");
                    }
                })
                .build();
    }

    private UUID deadLetter() {
        assertThat(waybill.run("inbox", "schema", "apply").exit()).isZero();
        Event event = Event.of("order.placed", "Order", "42", "{\"total\":1.50}");
        assertThat(stock().handle(ReceivedMessage.of(Envelope.standard("shop").seal(event))))
                .isEqualTo(InboxOutcome.DEAD_LETTERED);
        return event.id();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "inbox",
                "inbox status",
                "inbox dead-letters",
                "inbox dead-letters list",
                "inbox dead-letters show",
                "inbox dead-letters replay",
                "inbox dead-letters discard",
                "inbox schema",
                "inbox schema print",
                "inbox schema apply",
                "inbox schema check"
            })
    void everyCommandHasHelp(String command) {
        Result help = waybill.run((command + " --help").split(" "));
        assertThat(help.exit()).isZero();
        assertThat(help.out()).contains("Usage: waybill", "--help");
    }

    @Test
    void theSchemaIsPrintedAppliedAndCheckedBeforeOrAfterTheOutbox() {
        assertThat(waybill.run("inbox", "schema", "print").out()).contains("CREATE TABLE processed_events");
        assertThat(waybill.run("inbox", "schema", "print", "--grants").out())
                .contains("GRANT SELECT, INSERT ON inbox_dead_letters TO shop_consumer;")
                .contains("GRANT SELECT, INSERT ON inbox_audit, inbox_audit_events TO shop_operator;");
        Result before = waybill.run("inbox", "status");
        assertThat(before.exit()).isEqualTo(Exit.DATABASE.code());
        assertThat(before.err()).contains("waybill inbox schema apply");
        assertThat(waybill.run("inbox", "schema", "check").exit()).isEqualTo(Exit.DATABASE.code());
        assertThat(waybill.run("inbox", "schema", "apply").exit()).isZero();
        assertThat(waybill.run("inbox", "schema", "apply").exit()).isZero();
        assertThat(waybill.run("inbox", "schema", "check").exit()).isZero();
        Result outbox = waybill.run("schema", "apply");
        assertThat(outbox.exit()).as(outbox.err()).isZero();
        assertThat(waybill.run("schema", "check").exit()).isZero();
        assertThat(waybill.run("inbox", "status").err()).contains("No consumer group");
    }

    @Test
    void aDeadLetterIsListedShownReplayedAndGone() {
        UUID id = deadLetter();
        assertThat(waybill.run("inbox", "status").out()).contains("stock", "DEAD LETTERS");
        assertThat(json(waybill.run("inbox", "status", "--group", "stock", "--json")
                                .out())
                        .get("deadLetters")
                        .asInt())
                .isEqualTo(1);
        Result listed = waybill.run("inbox", "dead-letters", "list");
        assertThat(listed.out())
                .contains(id.toString(), "stock", "42", "No such product")
                .doesNotContain("\u001b");
        assertThat(json(waybill.run("inbox", "dead-letters", "list", "--json").out())
                        .get("eventId")
                        .asString())
                .isEqualTo(id.toString());
        assertThat(waybill.run("inbox", "dead-letters", "list", "--group", "mail")
                        .err())
                .contains("match");
        Result shown = waybill.run("inbox", "dead-letters", "show", id.toString(), "--group", "stock");
        assertThat(shown.out())
                .contains("{\"total\":1.50}", "PermanentException")
                .doesNotContain("\u001b");

        String[] dryRun = {"inbox", "dead-letters", "replay", "--group", "stock", "--all", "--dry-run"};
        assertThat(waybill.run(dryRun).out()).contains(id.toString(), "1 dead letter would be replayed.");
        assertThat(waybill.run("inbox", "dead-letters", "replay", "--group", "stock", "--all")
                        .exit())
                .as("no reason given")
                .isEqualTo(Exit.USAGE.code());
        Result other = waybill.run(
                "inbox", "dead-letters", "replay", id.toString(), "--group", "mail", "--reason", "wrong group");
        assertThat(other.exit()).isEqualTo(Exit.NOT_FOUND.code());
        Result replayed = waybill.run(
                "inbox", "dead-letters", "replay", id.toString(), "--group", "stock", "--reason", "fixed", "--json");
        assertThat(json(replayed.out()).get("changed").get(0).asString()).isEqualTo(id.toString());
        assertThat(waybill.run(dryRun).out()).contains("0 dead letters");
        healed = true;
        assertThat(stock().runDue()).isEqualTo(1);
        assertThat(waybill.run("inbox", "dead-letters", "show", id.toString(), "--group", "stock")
                        .exit())
                .isEqualTo(Exit.NOT_FOUND.code());
    }

    @Test
    void aPausedGroupIsShownByStatusAndDoctor() {
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        assertThat(waybill.run("inbox", "schema", "apply").exit()).isZero();
        Inbox<Connection> failing = Inbox.builder(JdbcInbox.on(source).store(), "stock")
                .on("order.placed", (connection, event) -> {
                    throw new IllegalStateException("the warehouse does not answer");
                })
                .pauseAfter(1)
                .build();
        assertThat(waybill.run("inbox", "status", "--check").exit()).isZero();
        Event event = Event.of("order.placed", "Order", "42", "{}");
        failing.handle(ReceivedMessage.of(Envelope.standard("shop").seal(event)));
        failing.runDue();
        Result status = waybill.run("inbox", "status");
        assertThat(status.exit()).isZero();
        assertThat(status.out()).contains("Group stock is paused (1 consumer)", "the warehouse does not answer");
        assertThat(waybill.run("inbox", "status", "--check").exit()).isEqualTo(Exit.FAILED.code());
        JsonNode json = json(waybill.run("inbox", "status", "--json").out());
        assertThat(json.get("pausedConsumers").asInt()).isEqualTo(1);
        assertThat(json.get("pausedSince").asString()).startsWith("20");
        assertThat(json.get("pauseReason").asString()).contains("the warehouse does not answer");
        assertThat(waybill.run("doctor").out()).contains("inbox stock", "the warehouse does not answer");
        assertThat(waybill.run("status").out())
                .contains("Inbox group stock has been paused", "the warehouse does not answer");
        assertThat(json(waybill.run("status", "--json").out()).get("warnings").toString())
                .contains("Inbox group stock has been paused");
        failing.close();
        assertThat(waybill.run("status").out()).doesNotContain("has been paused");
        assertThat(waybill.run("inbox", "status").out()).doesNotContain("is paused");
    }

    @Test
    void aDiscardedDeadLetterIsAudited() {
        UUID id = deadLetter();
        Result discarded = waybill.run(
                "inbox",
                "dead-letters",
                "discard",
                "--group",
                "stock",
                "--all",
                "--reason",
                "agreed",
                "--actor",
                "ada");
        assertThat(discarded.out()).contains("1 dead letter discarded.");
        assertThat(JdbcInbox.on(source).deadLetters().history("stock", id))
                .singleElement()
                .satisfies(entry -> assertThat(entry.actor() + " " + entry.action() + " " + entry.reason())
                        .isEqualTo("ada discard agreed"));
    }

    @Test
    void aBinaryMessageIsShownAsBase64() {
        assertThat(waybill.run("inbox", "schema", "apply").exit()).isZero();
        byte[] poison = {(byte) 0xff, 0, 1};
        stock().handle(new ReceivedMessage("orders", 0, 1, null, poison, Map.of()));
        UUID id = JdbcInbox.on(source)
                .deadLetters()
                .list("stock", io.waybill.admin.EventFilter.ALL, 1)
                .get(0)
                .eventId();
        Result shown = waybill.run("inbox", "dead-letters", "show", id.toString(), "--group", "stock", "--json");
        assertThat(json(shown.out()).get("originalEvent").asString())
                .isEqualTo("base64:" + java.util.Base64.getEncoder().encodeToString(poison));
    }

    private static JsonNode json(String text) {
        return Json.MAPPER.readTree(text);
    }
}

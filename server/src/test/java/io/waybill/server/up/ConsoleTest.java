package io.waybill.server.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.waybill.Event;
import io.waybill.inbox.Inbox;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.kafka.KafkaInbox;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.Saga;
import io.waybill.saga.Sagas;
import io.waybill.testkit.servers.SharedServers;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * The console in a real browser, against the program with a real database and broker. The rows of the database decide whether an action
 * had its effect. One server and one browser serve all tests; each test uses keys and types of its own.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ConsoleTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern PASSWORD = Pattern.compile("Sign in as admin with the password (\\S+)");
    private static final String REASON = "proven by a test";

    /** No broker accepts this topic, so its events become dead letters at once. */
    private static final String BAD_TOPIC = "no such <b>topic</b>";

    private static final String HOSTILE = "\"'><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
            + "{{7*7}}${7*7}\u202egnp.exe\u0007\u001b[31m";

    /** Kafka is shared with other tests. */
    private final String unique = Integer.toString(ThreadLocalRandom.current().nextInt(1_000_000), 36);

    @TempDir
    private static Path folder;

    private final PGSimpleDataSource database = new PGSimpleDataSource();
    private final List<AutoCloseable> running = new ArrayList<>();
    private final JdbcOutbox outbox = JdbcOutbox.create();
    private Browser browser;
    private volatile boolean handlerFails = true;

    @BeforeAll
    void start() throws Exception {
        String url = SharedServers.freshDatabase();
        database.setUrl(url);
        UpProcess up = UpProcess.launch(
                folder,
                Map.of(
                        "WAYBILL_DATABASE_URL", url,
                        "WAYBILL_BROKER_URL", "kafka://" + SharedServers.kafka().bootstrapServers(),
                        "WAYBILL_RELAY_ON_DEAD_LETTER", "block",
                        "WAYBILL_HTTP_SIGN_IN", "password",
                        "WAYBILL_CONSOLE_EDIT", "true",
                        "WAYBILL_CONSOLE_NAME", "shop-test"),
                "up",
                "--apply-schema");
        running.add(up);
        up.awaitUp();
        Matcher password = PASSWORD.matcher(up.output());
        assertThat(password.find()).as(up::output).isTrue();
        InboxSchema.apply(database);
        SagaSchema.apply(database);
        browser = Browser.start(up.running().http());
        running.add(browser);
        signIn(password.group(1));
    }

    /** First with a wrong password. */
    private void signIn(String password) {
        Page page = browser.page();
        page.navigate(browser.address());
        page.locator("[name=user]").fill("admin");
        page.locator("[name=password]").fill("wrong");
        browser.button("Sign in").click();
        page.locator(".problem").waitFor();
        page.locator("[name=password]").fill(password);
        browser.button("Sign in").click();
        page.locator("h1", new Page.LocatorOptions().setHasText("Overview")).waitFor();
        assertThat(page.locator(".side").innerText()).contains("shop-test", "admin");
        browser.rememberSession();
    }

    @AfterEach
    void nothingWasExecutedOrRequestedElsewhere() {
        if (browser != null) {
            assertThat(browser.page().evaluate("window.hacked")).isNull();
            browser.requireQuiet();
        }
    }

    @AfterAll
    void stop() throws Exception {
        for (int i = running.size() - 1; i >= 0; i--) {
            running.get(i).close();
        }
    }

    @Test
    void anEventIsFoundByItsKeyShownExactlyAndReplayedToTheRightTopic() throws Exception {
        String key = "exact " + unique + "/?#%";
        String payload = "{\"id\":9007199254740993123,\"price\":1.10,\"tiny\":1e-400,\"text\":\"" + "ä€😀" + "\"}";
        UUID id = dead("order.placed", key, payload);
        browser.go("overview");
        browser.page().keyboard().press("/");
        browser.page().keyboard().type(key);
        browser.page().keyboard().press("Enter");
        browser.page().locator("main .timeline a").first().click();
        browser.button("Show the payload").click();
        assertThat(browser.page().locator(".tree").innerText())
                .contains("9007199254740993123", "1.10", "1e-400", "ä€😀");
        assertThat(number(
                        "SELECT count(*) FROM outbox_audit WHERE action = 'view-payload' AND actor = 'admin' AND detail = ?",
                        id.toString()))
                .isOne();
        browser.button("Replay …").click();
        browser.page().locator("dialog [name=topic]").fill("replayed." + unique);
        browser.confirm(REASON, "Replay");
        awaitState(id, "PUBLISHED");
        assertThat(audits(id)).singleElement().asString().contains("admin", REASON);
    }

    @Test
    void aDoubleClickHasOneEffect() throws Exception {
        UUID id = dead("order.placed", "double-" + unique, "{}");
        browser.go("event/" + id);
        browser.button("Discard …").click();
        browser.page().locator("dialog [name=reason]").fill(REASON);
        browser.page().locator("dialog button[type=submit]").dblclick();
        awaitState(id, "DISCARDED");
        browser.page().locator("dialog").waitFor(Browser.GONE);
        assertThat(audits(id)).singleElement().asString().contains("discard", "admin", REASON);
    }

    @Test
    void theFilterBarFindsEventsAndItsAddressCanBeShared() throws Exception {
        String type = "filtered." + unique;
        UUID wanted = dead(type, "wanted-" + unique, "{}");
        UUID other = published(type, "other-" + unique);
        browser.go("events");
        Locator bar = browser.page().locator("main .filter input");
        bar.fill("state:dead-letter type:filtered.* key:wanted-" + unique);
        bar.press("Enter");
        browser.row("wanted-" + unique).waitFor();
        assertThat(browser.text()).doesNotContain("other-" + unique);
        String shared = browser.page().url();
        browser.go("overview");
        browser.page().navigate(shared);
        browser.row("wanted-" + unique).waitFor();
        assertThat(browser.page().locator("main tbody tr").count()).isOne();
        browser.go("events?q=type:" + type);
        assertThat(browser.page().locator("main tbody tr").count()).isEqualTo(2);
        browser.go("events?q=stat:dead");
        assertThat(browser.text()).contains("There is no filter “stat:”");
        assertThat(wanted).isNotEqualTo(other);
    }

    @Test
    void aGroupOfFailuresIsTriedWithOneEventAndThenDiscardedTogether() throws Exception {
        String type = "group." + unique;
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(dead(type, "group-" + unique + "-" + i, "{}"));
        }
        browser.go("failures");
        Locator group = browser.page().locator("main li.card").filter(new Locator.FilterOptions().setHasText(type));
        assertThat(group.innerText()).contains("3 events");
        group.getByText("Retry one").click();
        group.getByText("it failed again").waitFor();
        group.getByText("Discard all …").click();
        browser.confirm(REASON, "Count the events");
        browser.page().getByText("Discard 3 events?").waitFor();
        for (UUID id : ids) {
            assertThat(state(id)).isEqualTo("DEAD_LETTER");
        }
        browser.confirm(REASON, "Discard 3");
        browser.page()
                .locator("main .badge", new Page.LocatorOptions().setHasText("done"))
                .first()
                .waitFor();
        for (UUID id : ids) {
            awaitState(id, "DISCARDED");
            assertThat(number("SELECT count(*) FROM outbox_operation_results WHERE event_id = ?", id))
                    .isOne();
        }
    }

    @Test
    void aBlockedKeyIsReleasedAndAnotherIsSkipped() throws Exception {
        String released = "released-" + unique;
        String skipped = "skipped-" + unique;
        UUID first = dead("order.placed", released, "{}");
        UUID second = append("order.paid." + unique, released, "{}");
        UUID third = dead("order.placed", skipped, "{}");
        UUID fourth = append("order.paid." + unique, skipped, "{}");
        browser.go("keys");
        browser.row(released).getByText("Release …").click();
        browser.confirm(REASON, "Release");
        awaitState(second, "PUBLISHED");
        assertThat(state(first)).isEqualTo("DEAD_LETTER");
        browser.row(skipped).getByText("Skip …").click();
        browser.confirm(REASON, "Skip");
        awaitState(fourth, "PUBLISHED");
        assertThat(state(third)).isEqualTo("DISCARDED");
    }

    @Test
    void aPausedTypeIsHeldUntilItIsResumed() throws Exception {
        String type = "paused." + unique;
        browser.go("relays");
        browser.button("Pause …").click();
        browser.page().locator("dialog [name=value]").fill(type);
        browser.confirm(REASON, "Pause");
        browser.page()
                .locator("main li.reason", new Page.LocatorOptions().setHasText(type))
                .waitFor();
        assertThat(number("SELECT count(*) FROM outbox_pauses WHERE target = ? AND actor = 'admin'", type))
                .isOne();
        awaitPauseIsHonoured(type);
        UUID held = append(type, "held-" + unique, "{}");
        await().atMost(PATIENCE).until(() -> number("SELECT count(*) FROM outbox_held WHERE id = ?", held) == 1);
        assertThat(state(held)).isNotEqualTo("PUBLISHED");
        browser.go("overview");
        browser.page()
                .locator("main li.reason", new Page.LocatorOptions().setHasText(type))
                .getByText("Resume …")
                .click();
        browser.confirm(REASON, "Resume");
        awaitState(held, "PUBLISHED");
        assertThat(number("SELECT count(*) FROM outbox_pauses WHERE target = ?", type))
                .isZero();
    }

    /** A relay reads the pauses about twice a second; until then it publishes. */
    private void awaitPauseIsHonoured(String type) {
        await().atMost(PATIENCE).until(() -> {
            UUID probe = append(type, "probe-" + UUID.randomUUID(), "{}");
            await().atMost(PATIENCE)
                    .until(() -> state(probe).equals("PUBLISHED")
                            || number("SELECT count(*) FROM outbox_held WHERE id = ?", probe) == 1);
            return !state(probe).equals("PUBLISHED");
        });
    }

    @Test
    void aCorrectedCopyReplacesADeadLetter() throws Exception {
        UUID id = dead("order.placed", "edited-" + unique, "{\"amount\":1}");
        browser.go("event/" + id);
        browser.button("Edit and replay …").click();
        Locator payload = browser.page().locator("dialog [name=payload]");
        payload.fill("{\"amount\": 9007199254740993123}");
        browser.confirm(REASON, "Publish the corrected event");
        awaitState(id, "DISCARDED");
        UUID corrected = UUID.fromString(text(
                "SELECT max(id::text) FROM outbox_events WHERE aggregate_id = ? AND id <> '" + id + "'",
                "edited-" + unique));
        awaitState(corrected, "DEAD_LETTER"); // the topic is still wrong
        assertThat(text("SELECT headers::text FROM outbox_events WHERE id::text = ?", corrected.toString()))
                .contains("correction-of", id.toString());
        assertThat(text("SELECT payload::text FROM outbox_events WHERE id::text = ?", corrected.toString()))
                .contains("9007199254740993123");
    }

    @Test
    void aDeadLetterOfAnInboxIsReplayedAndAnotherIsDiscarded() throws Exception {
        String group = "warehouse-" + unique;
        String type = "shipped." + unique;
        Inbox<Connection> inbox = Inbox.builder(JdbcInbox.on(database).store(), group)
                .on(type, (connection, event) -> {
                    if (handlerFails) {
                        throw new IllegalStateException("no stock location for " + HOSTILE);
                    }
                })
                .retry(new RetryPolicy(1, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .pauseAfter(1_000)
                .build();
        KafkaInbox consumer = KafkaInbox.builder(SharedServers.kafka().bootstrapServers(), inbox)
                .withoutRetentionCheck()
                .build();
        running.add(consumer);
        consumer.start();
        UUID replayed = append(type, "replayed-" + unique, "{\"n\":9007199254740993123}");
        UUID discarded = append(type, "discarded-" + unique, "{}");
        await().atMost(PATIENCE)
                .until(() -> number("SELECT count(*) FROM inbox_dead_letters WHERE consumer_group = ?", group) == 2);
        handlerFails = false;
        browser.go("inbox");
        browser.row(group).locator("a").first().click();
        browser.row("replayed-" + unique).locator("a").first().click();
        browser.button("Show the payload").click();
        assertThat(browser.page().locator(".tree").innerText()).contains("9007199254740993123");
        browser.button("Replay …").click();
        browser.confirm(REASON, "Replay");
        await().atMost(PATIENCE)
                .until(() -> number("SELECT count(*) FROM processed_events WHERE event_id = ?", replayed) == 1);
        browser.go("key/discarded-" + unique);
        assertThat(browser.text()).contains(group, "dead letter");
        browser.go("inbox/" + group);
        browser.row("discarded-" + unique).getByText("Discard …").click();
        browser.confirm(REASON, "Discard");
        await().atMost(PATIENCE)
                .until(() -> number("SELECT count(*) FROM inbox_dead_letters WHERE event_id = ?", discarded) == 0);
    }

    @Test
    void aStuckSagaIsRetriedFromItsPage() throws Exception {
        String key = "saga-" + unique;
        AtomicBoolean carrier = new AtomicBoolean();
        Saga<Parcel> saga = Saga.named("deliver-" + unique, Parcel.class)
                .step("reserve")
                .local(parcel -> parcel)
                .localCompensation(parcel -> parcel)
                .then("charge")
                .local(parcel -> parcel)
                .pivot()
                .then("ship")
                .external((parcel, call) -> {
                    if (!carrier.get()) {
                        throw new IllegalStateException("rejected " + HOSTILE);
                    }
                    return parcel;
                })
                .attempts(1)
                .retriable()
                .build();
        Sagas<Connection> sagas =
                Sagas.builder(JdbcSagaStore.on(database), outbox).add(saga).build();
        running.add(sagas);
        sagas.start();
        UUID id = sagas.start(saga, key, new Parcel(key, 7));
        await().atMost(PATIENCE)
                .until(() -> text("SELECT status FROM sagas WHERE id::text = ?", id.toString())
                        .equals("FORWARD_RECOVERY"));
        browser.go("sagas?stuck=true");
        browser.row(key).locator("a").first().click();
        browser.page().locator(".picture g.stuck").waitFor();
        assertThat(browser.page().locator(".picture g").count()).isEqualTo(3);
        carrier.set(true);
        browser.button("Retry …").click();
        browser.confirm(REASON, "Retry");
        await().atMost(PATIENCE)
                .until(() -> text("SELECT status FROM sagas WHERE id::text = ?", id.toString())
                        .equals("COMPLETED"));
        browser.page()
                .locator("header .badge", new Page.LocatorOptions().setHasText("completed"))
                .waitFor();
        browser.go("key/" + key);
        assertThat(browser.text()).contains("deliver-" + unique, "completed");
    }

    record Parcel(String id, int weight) {}

    /** Each page in both themes, narrow and wide, with hostile texts in every field that a message has. */
    @Test
    void hostileMessagesBreakNoPageAndEveryPageIsAccessible() throws Exception {
        String key = HOSTILE + "x".repeat(150) + unique;
        UUID id = UUID.randomUUID();
        String deep = "[".repeat(2_000) + "]".repeat(2_000);
        String payload = "{\"n\":123456789012345678901234567890.000,\"deep\":" + deep + ",\"text\":"
                + new JsonMapper().writeValueAsString(HOSTILE) + "}";
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, topic, headers, payload)"
                                + " VALUES (?, ?, ?, ?, ?, ?::json, ?::json)")) {
            insert.setObject(1, id);
            insert.setString(2, HOSTILE);
            insert.setString(3, key);
            insert.setString(4, HOSTILE);
            insert.setString(5, BAD_TOPIC + HOSTILE);
            insert.setString(6, "{\"x-" + unique + "\":\"<script>window.hacked=1</script>\"}");
            insert.setString(7, payload);
            insert.executeUpdate();
        }
        awaitState(id, "DEAD_LETTER");
        append("order.paid", key, "{}");
        List<String> pages = List.of(
                "overview",
                "events",
                "event/" + id,
                "key/" + URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20"),
                "failures",
                "keys",
                "inbox",
                "sagas",
                "relays",
                "operations",
                "audit",
                "settings",
                "nothing",
                "key/unknown");
        List<String> problems = new ArrayList<>();
        for (ColorScheme theme : List.of(ColorScheme.DARK, ColorScheme.LIGHT)) {
            for (int width : List.of(390, 1_400)) {
                browser.look(theme, width);
                for (String page : pages) {
                    browser.go(page);
                    if (page.startsWith("event/")) {
                        browser.button("Show the payload").click();
                        browser.page().locator(".tree").waitFor();
                        assertThat(browser.page().locator(".tree").innerText())
                                .contains("123456789012345678901234567890.000");
                    }
                    String where = page + " " + theme + " " + width + ": ";
                    String findings = browser.findings();
                    if (!findings.isEmpty()) {
                        problems.add(where + findings);
                    }
                    if ((Boolean) browser.page().evaluate("document.documentElement.scrollWidth > innerWidth")) {
                        problems.add(where + "wider than the window");
                    }
                    if (browser.page().evaluate("window.hacked") != null) {
                        problems.add(where + "a message was executed");
                    }
                }
            }
        }
        browser.look(ColorScheme.LIGHT, 1_400);
        assertThat(problems).isEmpty();
    }

    @Test
    void theJsonReaderKeepsEveryCharacterOfAPayload() {
        browser.go("overview");
        Object differences = browser.page().evaluate("""
                async () => {
                    const { parseJson, pretty } = await import('/console/lib/json.js');
                    const good = ['{}', '[]', '0', '-0', '""', 'null', '{"a":{"a":[1,[2,{}],[]]}}', '[1.0,1e400,123456789012345678901]',
                        '{"a":1,"a":2}', ' [ true , false ] ', '"\\\\u0000\\\\ud83d"', '['.repeat(50000) + ']'.repeat(50000)];
                    const bad = ['', '{', '[1,]', '{"a":1,}', '01', '1.', '+1', "'a'", '{a:1}', '[1 2]', '{"a" 1}', 'nul', '"\\n"', '1 1', '[,]', '[1]]'];
                    const squeeze = text => text.replace(/\\s+/g, '');
                    return [...good.filter(text => !parseJson(text) || squeeze(pretty(parseJson(text))) !== squeeze(text)),
                        ...bad.filter(text => parseJson(text) !== null)];
                }""");
        assertThat(differences).isEqualTo(List.of());
    }

    private UUID append(String type, String key, String payload) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            Event event = Event.of(type, "Order", key, payload);
            outbox.append(connection, event);
            connection.commit();
            return event.id();
        }
    }

    /** With plain SQL, because only the broker checks the topic. */
    private UUID dead(String type, String key, String payload) throws SQLException {
        UUID id = UUID.randomUUID();
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, topic, payload)"
                                + " VALUES (?, 'Order', ?, ?, ?, ?::json)")) {
            insert.setObject(1, id);
            insert.setString(2, key);
            insert.setString(3, type);
            insert.setString(4, BAD_TOPIC);
            insert.setString(5, payload);
            insert.executeUpdate();
        }
        awaitState(id, "DEAD_LETTER");
        return id;
    }

    private UUID published(String type, String key) throws SQLException {
        UUID id = append(type, key, "{}");
        awaitState(id, "PUBLISHED");
        return id;
    }

    private void awaitState(UUID id, String wanted) {
        await().atMost(PATIENCE).until(() -> state(id), wanted::equals);
    }

    private String state(UUID id) throws SQLException {
        return text("SELECT state FROM outbox_states WHERE id::text = ?", id.toString());
    }

    private List<String> audits(UUID id) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement("SELECT action, actor, reason FROM outbox_audit a"
                        + " JOIN outbox_audit_events e ON e.audit_id = a.id WHERE e.event_id = ? ORDER BY a.id")) {
            query.setObject(1, id);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1) + " " + rows.getString(2) + " " + rows.getString(3));
                }
            }
        }
        return found;
    }

    private long number(String sql, Object parameter) throws SQLException {
        return Long.parseLong(text(sql, parameter));
    }

    private String text(String sql, Object parameter) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            query.setObject(1, parameter);
            try (ResultSet row = query.executeQuery()) {
                assertThat(row.next()).as(sql).isTrue();
                return Objects.toString(row.getString(1));
            }
        }
    }
}

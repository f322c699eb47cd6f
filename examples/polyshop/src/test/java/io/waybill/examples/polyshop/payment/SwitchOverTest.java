package io.waybill.examples.polyshop.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.examples.polyshop.foreign.Runtimes;
import io.waybill.examples.polyshop.foreign.ServiceProcess;
import io.waybill.examples.polyshop.foreign.ShopTopics;
import io.waybill.examples.polyshop.foreign.ShopTopics.Published;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The outbox worker in Node.js is replaced by Waybill's relay while a service writes events. */
class SwitchOverTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    @TempDir
    Path folder;

    private final String jdbcUrl = SharedServers.freshDatabase();
    private final String topic =
            "payment.switch.n" + UUID.randomUUID().toString().substring(0, 8) + ".v1";
    private final List<ServiceProcess> processes = new ArrayList<>();
    private final HikariDataSource source = new HikariDataSource();
    private ShopTopics topics;
    private Writer writer;

    @BeforeAll
    static void requireNode() {
        Runtimes.requireNode();
    }

    @BeforeEach
    void startWriter() throws SQLException, IOException {
        source.setJdbcUrl(jdbcUrl);
        source.setMaximumPoolSize(4);
        execute(Files.readString(Runtimes.PAYMENT.resolve("src/schema.sql")));
        topics = new ShopTopics(List.of(topic));
        writer = new Writer(source, topic);
        writer.start();
    }

    @AfterEach
    void stopAll() {
        writer.end();
        processes.forEach(ServiceProcess::close);
        topics.close();
        source.close();
    }

    @Test
    void anOrderlySwitchPublishesEachEventOnceAndInOrder() throws SQLException {
        ServiceProcess worker = worker();
        awaitPublished(50);
        worker.stop();
        ServiceProcess relay = relay();
        awaitMorePublished(200);
        // Back to the worker. Rows that the relay has imported and not published are still waiting in the table.
        relay.stop();
        execute("DROP SCHEMA waybill CASCADE");
        worker = worker();
        awaitMorePublished(50);
        worker.stop();
        relay();
        awaitMorePublished(50);
        finish();
        assertThat(published()).doesNotHaveDuplicates();
    }

    @Test
    void aSwitchAfterKillsLosesNothingAndKeepsTheOrder() throws SQLException {
        ServiceProcess worker = worker();
        awaitPublished(50);
        killBeforeTheMark(worker);
        worker = worker();
        awaitMorePublished(50);
        killBeforeTheMark(worker);

        ServiceProcess relay = relay();
        awaitMorePublished(100);
        relay.kill();
        relay = relay();
        awaitMorePublished(100);
        killBeforeTheMark(relay);
        relay();
        awaitMorePublished(100);
        finish();

        List<String> ids = published();
        // The worker sends one event at a time: each of its two kills repeats at most that event. The rest are events
        // that
        // were in flight when a relay was killed.
        assertThat(ids.size()).isGreaterThan(new HashSet<>(ids).size());
    }

    /**
     * Kills the process when Kafka has an event that the table does not mark yet. The lock lets the process read the table and publish,
     * and stops it at the mark.
     */
    private void killBeforeTheMark(ServiceProcess process) throws SQLException {
        try (Connection lock = source.getConnection();
                Statement statement = lock.createStatement()) {
            lock.setAutoCommit(false);
            statement.execute("LOCK TABLE outbox_events IN SHARE ROW EXCLUSIVE MODE");
            long marked = count("processed");
            await("an event is published and not marked").atMost(PATIENCE).until(() -> {
                process.requireAlive();
                topics.readToEnd();
                return new HashSet<>(published()).size() > marked;
            });
            process.kill();
            lock.rollback();
        }
    }

    /** Ends the load, waits until every event is marked, and compares the topic with the table. */
    private void finish() throws SQLException {
        writer.end();
        long written = count("true");
        await("every event is marked")
                .atMost(PATIENCE)
                .until(() -> count("processed AND error_message IS NULL") == written);
        topics.readToEnd();
        Map<String, Integer> last = new HashMap<>();
        Set<String> seen = new HashSet<>();
        for (Published event : topics.find(topic, any -> true)) {
            if (!seen.add(event.eventId())) {
                continue; // a repetition, which consumers recognize by its id
            }
            String key = String.valueOf(event.key());
            int number = event.data().path("number").asInt();
            assertThat(number).as("the next event of %s", key).isEqualTo(last.getOrDefault(key, 0) + 1);
            last.put(key, number);
            assertThat(event.json().path("source").asString()).isEqualTo("payment-service");
            assertThat(event.json().at("/metadata/traceId").asString()).isEqualTo(Writer.TRACE_ID);
        }
        assertThat(seen).hasSize((int) written);
        assertThat(last).isEqualTo(writer.committed());
    }

    private List<String> published() {
        return topics.find(topic, any -> true).stream().map(Published::eventId).toList();
    }

    private void awaitPublished(long events) {
        await().atMost(PATIENCE).until(() -> {
            processes.get(processes.size() - 1).requireAlive();
            return count("processed") >= events;
        });
    }

    private void awaitMorePublished(long events) throws SQLException {
        awaitPublished(count("processed") + events);
    }

    private long count(String condition) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT count(*) FROM outbox_events WHERE " + condition)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private ServiceProcess worker() {
        return started(ServiceProcess.start(
                Runtimes.PAYMENT,
                folder.resolve("worker.log"),
                Map.of(
                        "DATABASE_URL", Runtimes.databaseUrl(jdbcUrl),
                        "KAFKA", SharedServers.kafka().bootstrapServers()),
                List.of("node", "src/outboxWorkerMain.js")));
    }

    private ServiceProcess relay() {
        return started(ServiceProcess.start(
                folder,
                folder.resolve("relay.log"),
                Map.of("WAYBILL_RELAY_LEASE", "2s"),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.waybill.server.Main",
                        "relay",
                        "--layout=processed-flag",
                        "--apply-schema",
                        "--database=" + jdbcUrl,
                        "--broker=kafka://" + SharedServers.kafka().bootstrapServers())));
    }

    private ServiceProcess started(ServiceProcess process) {
        processes.add(process);
        return process;
    }
}

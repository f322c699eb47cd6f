package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.Engine;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.cli.Waybill.Result;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Choosing an engine, changing it and the number of lanes, and continuing after a restored dump. */
class EnginesTest {
    @TempDir
    private Path folder;

    private final String database = SharedServers.freshDatabase();
    private final String broker = SharedServers.kafka().bootstrapServers();

    private Waybill waybill() {
        return new Waybill(folder).with("WAYBILL_DATABASE_URL", database).with("WAYBILL_BROKER_URL", broker);
    }

    @Test
    void aNewSchemaIsAJournalUnlessToldOtherwise() {
        assertThat(waybill().run("schema", "apply").out()).contains("journal engine");
        assertThat(waybill().run("schema", "check").out()).contains("journal engine");
        assertThat(waybill().run("schema", "print").out()).contains("outbox_cursors");
        assertThat(waybill()
                        .with("WAYBILL_ENGINE", "queue")
                        .run("schema", "print")
                        .out())
                .contains("outbox_claims")
                .doesNotContain("outbox_cursors");
        assertThat(waybill().run("status", "--engine", "wal").err()).contains("engine must be journal or queue");
    }

    @ParameterizedTest
    @CsvSource({"journal, queue", "queue, journal"})
    void theConfiguredEngineMustBeTheInstalledOne(String installed, String configured) {
        waybill().run("schema", "apply", "--engine", installed);
        for (List<String> command :
                List.of(List.of("status"), List.of("events"), List.of("relay", "--once"), List.of("schema", "apply"))) {
            Result refused = waybill().with("WAYBILL_ENGINE", configured).run(command.toArray(String[]::new));
            assertThat(refused.exit()).isEqualTo(3);
            assertThat(refused.err())
                    .contains(
                            "belong to the " + installed + " engine, not to the " + configured,
                            "schema migrate --to " + configured);
        }
        assertThat(waybill().run("status").exit()).isZero();
    }

    @Test
    void theJournalDoesNotDeleteOnSuccess() {
        Result refused = waybill().run("relay", "--once", "--apply-schema", "--relay-on-success", "delete");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("relay.on-success", "relay.retention", "engine: queue");
        assertThat(waybill().run("status").err()).contains("do not exist");
        waybill().run("schema", "apply", "--engine", "queue");
        assertThat(waybill()
                        .run("relay", "--once", "--relay-on-success", "delete")
                        .exit())
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anOutboxMovesToTheOtherEngine(Engine from) {
        String to = from == Engine.JOURNAL ? "queue" : "journal";
        waybill().run("schema", "apply", "--engine", from.label());
        append("1");
        assertThat(waybill().run("schema", "migrate", "--to", "wal").exit()).isEqualTo(2);
        Result moved = waybill().run("schema", "migrate", "--to", to);
        assertThat(moved.out()).as(moved.err()).contains(to + " engine now, with 1 events pending");
        assertThat(waybill().run("schema", "migrate", "--to", to).out()).contains("already");
        append("2");
        assertThat(waybill().run("relay", "--once").out()).contains("Published 2 events.");
    }

    @ParameterizedTest
    @EnumSource
    void aRunningRelayFollowsTheLanesAndEndsWithItsEngine(Engine engine) throws Exception {
        waybill().run("schema", "apply", "--engine", engine.label());
        DatabaseAddress where = Databases.parse(database, null, null);
        Configuration configuration = Configuration.read(
                Map.of("relay.poll-every", "20ms", "relay.idle-limit", "50ms"), List.of(), null, Map.of(), folder);
        OutboxTables tables = where.access().open(where, configuration).outbox(configuration);
        try (Daemon daemon = Daemon.start(configuration, tables, BrokerAddress.parse(broker))) {
            append("1");
            awaitPublished(1);
            assertThat(waybill().run("schema", "lanes", "3").err()).contains("while relays run", "--fence-relays");
            assertThat(waybill().run("schema", "lanes", "3", "--fence-relays").out())
                    .contains("3 lanes now, 8 before");
            append("2");
            awaitPublished(2);
            assertThat(waybill().run("status").out()).contains("3 lanes, 3 owned");

            String to = engine == Engine.JOURNAL ? "queue" : "journal";
            waybill().run("schema", "migrate", "--to", to, "--fence-relays");
            assertThat(daemon.ended().toCompletableFuture().get(4, TimeUnit.MINUTES))
                    .hasMessageContaining("from the " + engine.label() + " engine to the " + to);
        }
        append("3");
        assertThat(waybill().run("relay", "--once").out()).contains("Published 1 event.");
    }

    private void awaitPublished(int count) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(waybill()
                                .run("events", "--state", "published", "--json")
                                .out()
                                .lines())
                        .hasSize(count));
    }

    @ParameterizedTest
    @EnumSource
    void theNumberOfLanesIsShownAndChanged(Engine engine) {
        waybill().run("schema", "apply", "--engine", engine.label());
        assertThat(waybill().run("schema", "lanes").out()).contains("8 lanes.");
        append("1");
        assertThat(waybill().run("schema", "lanes", "16").out()).contains("16 lanes now, 8 before.");
        assertThat(waybill().run("status").out()).contains("16 lanes");
        assertThat(waybill().run("relay", "--once").out()).contains("Published 1 event.");
        assertThat(waybill().run("schema", "lanes", "0").exit()).isEqualTo(2);
        assertThat(waybill().run("schema", "lanes", "many").exit()).isEqualTo(2);
    }

    @Test
    void aRestoredJournalIsReportedAndRebased() throws SQLException {
        waybill().run("schema", "apply");
        append("1");
        assertThat(waybill().run("relay", "--once").out()).contains("Published 1 event.");
        append("2");
        assertThat(waybill().run("schema", "rebase").out()).contains("already", "Nothing was changed");
        // The state of a dump that was restored into another cluster.
        execute("UPDATE outbox_cursors SET cluster = cluster + 1");
        for (List<String> command :
                List.of(List.of("status"), List.of("relay", "--once"), List.of("schema", "check"))) {
            Result refused = waybill().run(command.toArray(String[]::new));
            assertThat(refused.exit()).isEqualTo(3);
            assertThat(refused.err()).contains("restored from a dump", "waybill schema rebase");
        }
        Result doctor = waybill().run("doctor");
        assertThat(doctor.exit()).isEqualTo(3);
        assertThat(doctor.out()).containsPattern("FAIL +schema .*waybill schema rebase");
        append("3");
        assertThat(waybill().run("schema", "rebase").out()).contains("fits this cluster now", "2 events");
        assertThat(waybill().run("relay", "--once").out()).contains("Published 2 events.");
    }

    /** Administrators set this to reduce contention. */
    @Test
    void aJournalWithACachedSequenceIsReportedAndRebased() throws SQLException {
        waybill().run("schema", "apply");
        append("1");
        execute("ALTER SEQUENCE outbox_events_seq_seq CACHE 50");
        for (List<String> command : List.of(List.of("relay", "--once"), List.of("schema", "check"))) {
            Result refused = waybill().run(command.toArray(String[]::new));
            assertThat(refused.exit()).isEqualTo(3);
            assertThat(refused.err()).contains("CACHE 50", "waybill schema rebase");
        }
        Result doctor = waybill().run("doctor");
        assertThat(doctor.exit()).isEqualTo(3);
        assertThat(doctor.out()).containsPattern("FAIL +schema .*CACHE 50.*waybill schema rebase");
        append("2");
        assertThat(waybill().run("schema", "rebase").out()).contains("2 events");
        assertThat(waybill().run("schema", "check").exit()).isZero();
        assertThat(waybill().run("relay", "--once").out()).contains("Published 2 events.");
    }

    @ParameterizedTest
    @EnumSource
    void aLaggingLaneIsReported(Engine engine) throws SQLException {
        waybill().run("schema", "apply", "--engine", engine.label());
        append("1");
        execute("UPDATE outbox_events SET created_at = now() - interval '2 hours'");
        assertThat(waybill().run("status").out()).containsPattern("Lane \\d lags by 2h.*retention");
        assertThat(waybill().run("doctor").out()).containsPattern("warn +lane \\d .*120 minutes.*owner none");
        assertThat(waybill().run("status", "--json").out()).containsPattern("\"lagSeconds\":72\\d\\d");
    }

    private void append(String key) {
        Result appended = waybill().run("append", "--type", "engines.test", "--aggregate-type", "T", "--key", key);
        assertThat(appended.exit()).as(appended.err()).isZero();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}

package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.embedded.LocalPostgres;
import io.waybill.jdbc.Engine;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.history.History.Result;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Workload;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** R2, R3, R4 and R14: connections and whole databases die under writers and relay, or are taken by others. */
@ParameterizedClass
@EnumSource(Engine.class)
class DatabaseCrashTest {
    private static final Duration LEASE = Duration.ofSeconds(3);

    private final Engine engine;

    DatabaseCrashTest(Engine engine) {
        this.engine = engine;
    }

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalPostgres postgres;

    @BeforeAll
    static void start() {
        // what was not committed synchronously stays in memory for long, and a kill loses it
        postgres = LocalPostgres.builder(folder)
                .setting("wal_writer_delay", "10s")
                .setting("max_connections", "60")
                .start();
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDatabaseThatIsKilledUnderLoadLosesAndInventsNothing(boolean synchronousCommit) {
        String name = synchronousCommit ? "R3 database killed" : "R4 database killed, synchronous_commit=off";
        int kills = 3;
        try (Scenario scenario = new Scenario(name, engine, Servers.on(postgres));
                Workload writers =
                        scenario.workload().synchronousCommit(synchronousCommit).start()) {
            scenario.start(scenario.relay("relay", LEASE).batchSize(50));
            for (int i = 0; i < kills; i++) {
                Scenario.awaitMore(writers, 100);
                scenario.awaitMorePublished(200); // it has healed and is busy
                postgres.kill();
                postgres.restart();
            }
            Scenario.awaitMore(writers, 100);
            writers.stop();
            scenario.awaitDrained();
            HistoryVerdict verdict = scenario.conclude(writers.history(), kills);
            assertThat(verdict.duplicates()).isBetween(0, kills * 2 * 50);
            if (synchronousCommit) {
                assertThat(verdict.unkept()).isEmpty();
            }
        }
    }

    @Test
    void connectionsThatDieAroundCommitLoseAndInventNothing() {
        int rounds = 10;
        try (Scenario scenario = new Scenario("R2 connections killed", engine, Servers.on(postgres));
                Workload writers =
                        scenario.workload().pause(Duration.ofMillis(1)).start()) {
            scenario.start(scenario.relay("relay", LEASE).batchSize(50));
            for (int i = 0; i < rounds; i++) {
                Scenario.awaitMore(writers, 50);
                scenario.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            }
            Scenario.awaitMore(writers, 50);
            writers.stop();
            scenario.awaitDrained();
            HistoryVerdict verdict = scenario.conclude(writers.history(), rounds);
            assertThat(verdict.unkept()).isEmpty();
            assertThat(writers.history().count(Result.FAIL)).isPositive();
            assertThat(verdict.duplicates())
                    .as("answers of settlements get lost, settlements do not")
                    .isZero();
        }
    }

    /** R14: a stranger takes every connection, also those that the relay had, until all its leases have run out. */
    @Test
    void aDatabaseWithoutAFreeConnectionIsWaitedFor() throws SQLException {
        try (Scenario scenario = new Scenario("R14 connections taken", engine, Servers.on(postgres));
                Workload writers = scenario.workload().start()) {
            scenario.start(scenario.relay("relay", LEASE).batchSize(50));
            scenario.awaitPublished(200);
            try (TakenConnections taken = TakenConnections.all(scenario.jdbcUrl())) {
                await("all leases have run out")
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> taken.number("SELECT count(*) FROM outbox_lanes WHERE expires_at > now()") == 0);
            }
            scenario.awaitMorePublished(200);
            writers.stop();
            scenario.awaitDrained();
            HistoryVerdict verdict = scenario.conclude(writers.history(), 0);
            assertThat(verdict.unkept()).isEmpty();
            assertThat(verdict.duplicates()).isBetween(0, 2 * 50);
        }
    }

    /** A seeded bug: without the durable claim of R4 the topic holds events that the database never had. */
    @Test
    void publishingBeforeTheClaimIsDurableIsFound() {
        try (Scenario scenario = new Scenario("seeded: PUBLISH_BEFORE_DURABLE", engine, Servers.on(postgres));
                Workload writers = scenario.workload().synchronousCommit(false).start()) {
            OutboxStore hasty = scenario.store(StoreBugs.hastyCommits(scenario.dataSource()));
            scenario.start(Scenario.relay("relay", LEASE, hasty, scenario.transport()));
            scenario.awaitMorePublished(300);
            postgres.kill();
            postgres.restart();
            writers.stop();
            scenario.awaitDrained();
            assertThat(scenario.judge(writers.history(), 1).ghosts()).isNotEmpty();
        }
    }
}

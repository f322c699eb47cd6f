package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.Scenario;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.embedded.LocalPostgres;
import io.waybill.faults.history.History.Result;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.store.OutboxStore;
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

/** Connections break, databases are killed, or other clients take all connections, under load (R2, R3, R4, R14). */
@ParameterizedClass
@EnumSource(Engine.class)
class DatabaseCrashTest {
    private static final Duration LEASE = Duration.ofSeconds(3);

    private final Engine engine;

    DatabaseCrashTest(Engine engine) {
        this.engine = engine;
    }

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalPostgres postgres;

    @BeforeAll
    static void start() {
        // asynchronous commits stay in memory for long, so a kill loses them
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
    void aDatabaseKilledUnderLoadLosesAndInventsNoEvents(boolean synchronousCommit) {
        String name = synchronousCommit ? "R3 database killed" : "R4 database killed, synchronous_commit=off";
        int kills = 3;
        try (Scenario scenario = new Scenario(name, engine, ScenarioServers.on(postgres));
                Workload writers =
                        scenario.workload().synchronousCommit(synchronousCommit).start()) {
            scenario.start(scenario.relay("relay", LEASE).batchSize(50));
            for (int i = 0; i < kills; i++) {
                Scenario.awaitMore(writers, 100);
                scenario.awaitMorePublished(200); // the relay works again
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
    void connectionsThatBreakAroundCommitLoseAndInventNoEvents() {
        int rounds = 10;
        try (Scenario scenario = new Scenario("R2 connections killed", engine, ScenarioServers.on(postgres));
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
                    .as("settlements lost with their answers")
                    .isZero();
        }
    }

    /** Another client takes all connections, including those of the relay, until all leases of the relay have expired (R14). */
    @Test
    void aRelayWaitsForAFreeConnection() throws SQLException {
        try (Scenario scenario = new Scenario("R14 connections taken", engine, ScenarioServers.on(postgres));
                Workload writers = scenario.workload().start()) {
            scenario.start(scenario.relay("relay", LEASE).batchSize(50));
            scenario.awaitPublished(200);
            try (ConnectionHog taken = ConnectionHog.all(scenario.jdbcUrl())) {
                await("all leases have run out")
                        .atMost(Duration.ofMinutes(4))
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

    /** A seeded bug: without a durable claim (R4), the topic contains events that the database does not have. */
    @Test
    void publishingBeforeTheClaimIsDurableIsFound() {
        try (Scenario scenario = new Scenario("seeded: PUBLISH_BEFORE_DURABLE", engine, ScenarioServers.on(postgres));
                Workload writers = scenario.workload().synchronousCommit(false).start()) {
            OutboxStore hasty = scenario.store(BuggyStores.hastyCommits(scenario.dataSource()));
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

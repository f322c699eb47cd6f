package io.waybill.acceptance;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.embedded.LocalPostgres;
import io.waybill.jdbc.Engine;
import io.waybill.testkit.faults.SmallDisk;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Workload;
import io.waybill.testkit.servers.NotRun;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R14: PostgreSQL's disk is full for a while. It refuses what needs space, and may give up altogether for want of it. */
class DiskFullTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int REFUSALS = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private static Path folder;

    private static @Nullable SmallDisk disk;

    @SuppressWarnings("NullAway.Init")
    private static LocalPostgres postgres;

    @BeforeAll
    static void start() {
        disk = SmallDisk.mount(folder.resolve("disk"), 200).orElse(null);
        if (disk == null) {
            throw NotRun.because("a full disk needs a file system of its own, and this process may not mount one."
                    + " Run the tests as root.");
        }
        postgres = LocalPostgres.builder(disk.folder().resolve("postgres"))
                .setting("max_wal_size", "48MB")
                .setting("min_wal_size", "32MB")
                .start();
    }

    @AfterAll
    static void stop() {
        if (disk != null) {
            postgres.close();
            disk.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFullDiskLosesAndInventsNothing(Engine engine) {
        SmallDisk small = requireNonNull(disk);
        try (Scenario scenario = new Scenario("R14 disk full", engine, Servers.on(postgres));
                Workload writers = scenario.workload().start()) {
            scenario.start(scenario.relay("relay", LEASE).batchSize(50));
            scenario.awaitPublished(200);
            scenario.execute("CREATE TABLE ballast (content bytea)");
            try {
                awaitRefusals(small, scenario.jdbcUrl());
                awaitPanic(small, scenario.jdbcUrl());
            } finally {
                small.free();
            }
            revive(scenario.jdbcUrl());
            Scenario.awaitMore(writers, 200);
            writers.stop();
            scenario.awaitDrained();
            HistoryVerdict verdict = scenario.conclude(writers.history(), 1);
            assertThat(verdict.unkept()).isEmpty();
            assertThat(verdict.duplicates()).isBetween(0, 2 * 50);
        }
    }

    /** Fills what PostgreSQL has freed again until it has refused to store anything some times in a row, or is gone. */
    private static void awaitRefusals(SmallDisk small, String jdbcUrl) {
        int[] refusals = {0};
        await("the full disk is felt")
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    small.fill();
                    refusals[0] = stores(jdbcUrl) ? 0 : refusals[0] + 1;
                    return refusals[0] >= REFUSALS || !postgres.running();
                });
    }

    /** Asks for new files of its log until it finds no space for one: it ends all sessions then, and perhaps itself. */
    private static void awaitPanic(SmallDisk small, String jdbcUrl) {
        await("PostgreSQL panics").atMost(Duration.ofSeconds(60)).until(() -> {
            small.fill();
            return panics(jdbcUrl);
        });
    }

    private static boolean panics(String jdbcUrl) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_logical_emit_message(false, 'test', 'something'), pg_switch_wal()");
            return false;
        } catch (SQLException e) {
            String state = requireNonNullElse(e.getSQLState(), "");
            return state.startsWith("08") || state.startsWith("57P"); // the session, not the statement
        }
    }

    private static boolean stores(String jdbcUrl) {
        Properties limits = new Properties();
        limits.setProperty("loginTimeout", "5");
        limits.setProperty("socketTimeout", "5");
        try (Connection connection = DriverManager.getConnection(jdbcUrl, limits);
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO ballast SELECT string_agg(sha512(i::text::bytea), '')"
                    + " FROM generate_series(1, 2000) i");
            return true;
        } catch (SQLException refused) {
            return false;
        }
    }

    /** As an operator or a service manager does: PostgreSQL ends itself, or stops to answer, when it cannot write its log. */
    private static void revive(String jdbcUrl) {
        int[] refusals = {0};
        await("PostgreSQL serves again")
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> {
                    if (!postgres.running() || refusals[0] >= 100) {
                        postgres.restart();
                        refusals[0] = 0;
                    }
                    refusals[0]++;
                    return stores(jdbcUrl);
                });
    }
}

package io.waybill.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
final class LocalPostgresTest {

    @TempDir
    Path folder;

    @Test
    void dataSurvivesANewStartOnTheFolderAndSoDoesThePort() throws SQLException {
        int port;
        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            port = postgres.port();
            execute(postgres, "CREATE TABLE parcel AS SELECT 42 AS number");
        }
        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            assertThat(query(postgres, "SELECT number FROM parcel")).isEqualTo("42");
            assertThat(postgres.port()).isEqualTo(port);
        }
    }

    @Test
    void committedRowsSurviveAKill() throws SQLException {
        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            execute(postgres, "CREATE TABLE parcel AS SELECT 42 AS number");
            long killed = postgres.pid();
            try (Connection open = DriverManager.getConnection(postgres.jdbcUrl())) {
                postgres.kill();
                assertThat(postgres.running()).isFalse();
                assertThatThrownBy(() -> open.createStatement().execute("SELECT 1"))
                        .isInstanceOf(SQLException.class);
            }
            assertThatThrownBy(postgres::pid).hasMessageContaining("restart()");

            postgres.restart();

            assertThat(postgres.pid()).isNotEqualTo(killed);
            assertThat(query(postgres, "SELECT number FROM parcel")).isEqualTo("42");
        }
    }

    @Test
    void aStandbyFollowsItsPrimaryAndIsPromotedWhenThatIsKilled() throws SQLException {
        try (LocalPostgres primary = LocalPostgres.start(folder.resolve("primary"))) {
            execute(primary, "CREATE TABLE parcel AS SELECT 1 AS number");
            try (LocalPostgres standby = LocalPostgres.builder(folder.resolve("standby"))
                    .standbyOf(primary, primary.port())
                    .start()) {
                execute(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
                execute(primary, "SELECT pg_reload_conf()");
                await().atMost(Duration.ofMinutes(4))
                        .until(() -> query(primary, "SELECT coalesce(max(sync_state), '') FROM pg_stat_replication")
                                .equals("sync"));
                execute(primary, "INSERT INTO parcel VALUES (2)"); // returns when the standby has it
                assertThatThrownBy(() -> execute(standby, "INSERT INTO parcel VALUES (3)"))
                        .hasMessageContaining("read-only");

                primary.kill();
                standby.promote();

                execute(standby, "INSERT INTO parcel VALUES (3)");
                assertThat(query(standby, "SELECT sum(number) FROM parcel")).isEqualTo("6");
                assertThatThrownBy(standby::promote).hasMessageContaining("Only a standby");
            }
        }
    }

    @Test
    void durabilityIsOnAndOnlyTheLoopbackAddressIsServed() throws SQLException {
        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            assertThat(query(postgres, "SHOW fsync")).isEqualTo("on");
            assertThat(query(postgres, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(query(postgres, "SHOW full_page_writes")).isEqualTo("on");
            assertThat(query(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(query(postgres, "SHOW max_connections")).isEqualTo("200");
            assertThat(query(postgres, "SHOW server_version")).startsWith("18.");
        }
    }

    @Test
    void settingsAndPortReachTheServer() throws SQLException {
        int port = FreePort.find();
        try (LocalPostgres postgres = LocalPostgres.builder(folder)
                .port(port)
                .setting("wal_level", "logical")
                .setting("cluster_name", "it's ours")
                .start()) {
            assertThat(postgres.port()).isEqualTo(port);
            assertThat(query(postgres, "SHOW wal_level")).isEqualTo("logical");
            assertThat(query(postgres, "SHOW cluster_name")).isEqualTo("it's ours");
        }
    }

    @Test
    void aSuspendedServerAnswersOnlyAfterItIsResumed() throws SQLException {
        try (LocalPostgres postgres = LocalPostgres.start(folder);
                Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
                Connection impatient = DriverManager.getConnection(postgres.jdbcUrl() + "&socketTimeout=1")) {
            postgres.suspend();
            assertThatThrownBy(() -> impatient.createStatement().execute("SELECT 1"))
                    .hasMessageContaining("I/O error");

            postgres.resume();

            assertThat(connection.isValid(10)).isTrue();
        }
    }

    @Test
    void aSuspendedServerCanBeClosed() {
        LocalPostgres postgres = LocalPostgres.start(folder);
        long pid = postgres.pid();
        postgres.suspend();

        postgres.close();

        assertThat(ServerProcess.find(pid)).isEmpty();
    }

    @Test
    void thePostmasterOfAHaltedJvmIsEndedByTheNextStart() throws Exception {
        Process owner = OwnerProgram.run(Map.of(), "postgres", folder.toString(), "halt");
        long orphan = OwnerProgram.serverPid(owner);
        owner.waitFor();
        assertThat(ServerProcess.find(orphan)).isPresent();

        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            assertThat(ServerProcess.find(orphan)).isEmpty();
            assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aStrangerThatWasGivenTheRecordedProcessIdIsLeftAlone() throws Exception {
        LocalPostgres.start(folder).close();
        Process stranger = new ProcessBuilder("sleep", "600").start();
        try {
            Files.writeString(folder.resolve("data").resolve("postmaster.pid"), stranger.pid() + "\n");

            LocalPostgres.start(folder).close();

            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void aFolderInUseIsRefusedByName() {
        try (LocalPostgres postgres = LocalPostgres.start(folder)) {
            assertThatThrownBy(() -> LocalPostgres.start(folder))
                    .isInstanceOf(LocalServerException.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("choose another folder");
            assertThat(postgres.running()).isTrue();
        }
    }

    @Test
    void aFailedStartShowsTheLogAndFreesTheFolder() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> LocalPostgres.builder(folder)
                            .port(taken.getLocalPort())
                            .start())
                    .isInstanceOf(LocalServerException.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("Address already in use");
        }
        LocalPostgres.start(folder).close();
    }

    @Test
    void severalJvmsCanUnpackTheProgramsAtOnce() throws Exception {
        Map<String, String> emptyCache =
                Map.of("XDG_CACHE_HOME", folder.resolve("cache").toString());
        Process first =
                OwnerProgram.run(emptyCache, "postgres", folder.resolve("first").toString(), "close");
        Process second = OwnerProgram.run(
                emptyCache, "postgres", folder.resolve("second").toString(), "close");

        assertThat(first.waitFor()).isZero();
        assertThat(second.waitFor()).isZero();
        try (var cached = Files.list(folder.resolve("cache").resolve("waybill"))) {
            assertThat(cached.filter(Files::isDirectory)).hasSize(1);
        }
    }

    private static void execute(LocalPostgres postgres, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(LocalPostgres postgres, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }
}

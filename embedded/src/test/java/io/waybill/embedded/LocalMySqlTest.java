package io.waybill.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.embedded.LocalMySql.Driver;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
final class LocalMySqlTest {

    @TempDir
    Path folder;

    @BeforeAll
    @Timeout(660) // the first time, it is downloaded
    static void mySqlIsThere() {
        Missing.abortWithout(DebianServer.MYSQL);
    }

    @Test
    void bothDriversConnectAndCommittedRowsSurviveAKill() throws SQLException {
        try (LocalMySql mySql = LocalMySql.start(folder)) {
            execute(mySql, Driver.CONNECTOR_J, "CREATE DATABASE depot");
            execute(mySql, Driver.CONNECTOR_J, "CREATE TABLE depot.parcel (number int)");
            execute(mySql, Driver.MARIADB, "INSERT INTO depot.parcel VALUES (42)");
            assertThat(query(mySql, Driver.MARIADB, "SELECT version()")).startsWith("9.");
            assertThat(query(mySql, Driver.CONNECTOR_J, "SELECT @@innodb_flush_log_at_trx_commit + @@sync_binlog"))
                    .isEqualTo("2");
            int port = mySql.port();
            long killed = mySql.pid();
            try (Connection open = DriverManager.getConnection(mySql.jdbcUrl(Driver.CONNECTOR_J, "depot"))) {
                mySql.kill();
                assertThat(mySql.running()).isFalse();
                assertThat(ServerProcess.find(killed)).isEmpty();
                assertThatThrownBy(() -> open.createStatement().execute("SELECT 1"))
                        .isInstanceOf(SQLException.class);
            }

            mySql.restart();

            assertThat(mySql.port()).isEqualTo(port);
            assertThat(query(mySql, Driver.CONNECTOR_J, "SELECT number FROM depot.parcel"))
                    .isEqualTo("42");
            assertThat(query(mySql, Driver.MARIADB, "SELECT number FROM depot.parcel"))
                    .isEqualTo("42");
        }
    }

    @Test
    void theServerEndsWhenTheProcessGroupOfItsParentIsKilledAndTheFolderCanBeUsedAgain() throws Exception {
        Process owner = OwnerProgram.run(Map.of(), "mysql", folder.toString(), "stay");
        long shell = OwnerProgram.serverPid(owner);
        String data = "--datadir=" + folder.toRealPath();
        ServerProcess server = new ServerProcess(ProcessHandle.of(shell)
                .orElseThrow()
                .descendants()
                .filter(process -> process.info().commandLine().orElse("").contains(data))
                .findFirst()
                .orElseThrow());

        new ProcessBuilder("sh", "-c", "kill -KILL -" + owner.pid()).start().waitFor();
        owner.waitFor();

        await().atMost(Duration.ofMinutes(4)).until(() -> !server.alive());
        try (LocalMySql mySql = LocalMySql.start(folder)) {
            assertThat(query(mySql, Driver.CONNECTOR_J, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aServerLeftSuspendedByAHaltedJvmIsEndedByTheNextStart() throws Exception {
        Process owner = OwnerProgram.run(Map.of(), "mysql", folder.toString(), "suspend");
        long orphan = OwnerProgram.serverPid(owner);
        owner.waitFor();
        assertThat(ServerProcess.find(orphan)).isPresent();

        try (LocalMySql mySql = LocalMySql.start(folder)) {
            assertThat(ServerProcess.find(orphan)).isEmpty();
            assertThat(query(mySql, Driver.MARIADB, "SELECT 1")).isEqualTo("1");
        }
    }

    private static void execute(LocalMySql mySql, Driver driver, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(mySql.jdbcUrl(driver, ""));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(LocalMySql mySql, Driver driver, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(mySql.jdbcUrl(driver, ""));
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return String.valueOf(result.getString(1));
        }
    }
}

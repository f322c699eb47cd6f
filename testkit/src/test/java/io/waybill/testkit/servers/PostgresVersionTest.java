package io.waybill.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.embedded.LocalPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(660)
class PostgresVersionTest {

    @ParameterizedTest
    @EnumSource(names = {"V13", "V17"})
    void theOldestAndTheNewestVersionServeAndRestart(PostgresVersion version, @TempDir Path folder)
            throws SQLException {
        try (LocalPostgres postgres = version.builder(folder).start()) {
            assertThat(query(postgres, "SHOW server_version"))
                    .startsWith(version.name().substring(1) + ".");
            assertThat(query(postgres, "SHOW fsync")).isEqualTo("on");
            postgres.kill();
            postgres.restart();
            assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aStandbyOfAnOldVersionFollowsItsPrimary(@TempDir Path folder) throws SQLException {
        try (LocalPostgres primary =
                        PostgresVersion.V13.builder(folder.resolve("primary")).start();
                LocalPostgres standby = PostgresVersion.V13
                        .builder(folder.resolve("standby"))
                        .standbyOf(primary, primary.port())
                        .start()) {
            query(primary, "CREATE TABLE parcel (number int); INSERT INTO parcel VALUES (42); SELECT 1");
            await().atMost(Duration.ofMinutes(4))
                    .ignoreExceptions()
                    .until(() -> query(standby, "SELECT number FROM parcel").equals("42"));
        }
    }

    private static String query(LocalPostgres postgres, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
                Statement statement = connection.createStatement()) {
            boolean rows = statement.execute(sql);
            while (!rows) {
                rows = statement.getMoreResults();
            }
            try (ResultSet result = statement.getResultSet()) {
                result.next();
                return String.valueOf(result.getString(1));
            }
        }
    }
}

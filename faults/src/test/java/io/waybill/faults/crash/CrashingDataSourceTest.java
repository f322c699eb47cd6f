package io.waybill.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.SharedServers;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A process is killed before or after its commit, whether the commit is a call or part of a statement. */
class CrashingDataSourceTest {
    private static final String BY_CALL = "INSERT INTO t VALUES (1)";
    private static final String BY_STATEMENT = BY_CALL + ";\nCOMMIT";

    @ParameterizedTest
    @CsvSource({
        "BEFORE_SETTLE_COMMIT, " + BY_CALL + ", 0",
        "BEFORE_SETTLE_COMMIT, '" + BY_STATEMENT + "', 0",
        "AFTER_SETTLE_COMMIT, " + BY_CALL + ", 1",
        "AFTER_SETTLE_COMMIT, '" + BY_STATEMENT + "', 1",
        "BEFORE_SETTLE_COMMIT:2, " + BY_CALL + ", 1",
        "BEFORE_SETTLE_COMMIT:2, '" + BY_STATEMENT + "', 1",
        "AFTER_SETTLE_COMMIT:2, '" + BY_STATEMENT + "', 2",
    })
    void theProcessCrashesBeforeOrAfterTheCommit(String crash, String sql, int rows) throws Exception {
        String url = SharedServers.freshDatabase();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (n int)");

            Process process = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "-D" + Crash.PROPERTY + "=" + crash,
                            Commits.class.getName(),
                            url,
                            sql))
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.INHERIT)
                    .start();

            assertThat(process.waitFor()).isEqualTo(Crash.STATUS);
            try (ResultSet count = statement.executeQuery("SELECT count(*) FROM t")) {
                count.next();
                assertThat(count.getInt(1)).isEqualTo(rows);
            }
        }
    }

    /** Two transactions with one statement each. */
    static final class Commits {
        private Commits() {}

        public static void main(String[] arguments) throws SQLException {
            PGSimpleDataSource postgres = new PGSimpleDataSource();
            postgres.setUrl(arguments[0]);
            Crash crash = Crash.requested().orElseThrow();
            DataSource dataSource = crash.dataSource(postgres);
            crash.begin(Crash.Step.SETTLE);
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(false);
                for (int i = 0; i < 2; i++) {
                    try (PreparedStatement statement = connection.prepareStatement(arguments[1])) {
                        statement.execute();
                    }
                    connection.commit();
                }
            }
        }
    }
}

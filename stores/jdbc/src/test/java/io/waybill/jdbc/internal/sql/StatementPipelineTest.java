package io.waybill.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.embedded.LocalMySql.Driver;
import io.waybill.jdbc.H2Database;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pipeline has the same results whether its statements are sent in one round trip or one by one. */
class StatementPipelineTest {
    private static final String INSERT = "INSERT INTO t VALUES (?)";
    private static final String ALL = "SELECT n FROM t WHERE n = ANY (?) ORDER BY n";

    private final List<Integer> results = new ArrayList<>();

    enum Product {
        POSTGRESQL,
        MARIADB,
        MYSQL,
        H2;

        String fresh() {
            return switch (this) {
                case POSTGRESQL -> SharedServers.freshDatabase();
                case MARIADB -> SharedServers.freshMariaDb();
                case MYSQL -> SharedServers.freshMySql(Driver.CONNECTOR_J);
                case H2 -> H2Database.fresh();
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachStatementSeesTheChangesOfEarlierStatements(Product product) throws SQLException {
        try (Connection connection = open(product.fresh())) {
            StatementPipeline pipeline = new StatementPipeline(Sql.on(connection));
            pipeline.query(ALL, this::numbers, List.of(1, 2));
            pipeline.update(INSERT, results::add, 1);
            pipeline.query(ALL, this::numbers, List.of(1, 2));
            pipeline.update("UPDATE t SET n = n + 1", results::add);
            pipeline.query(ALL, this::numbers, List.of(1, 2));

            pipeline.send();

            assertThat(results).containsExactly(1, 1, 1, 2);
            connection.rollback();
            assertThat(rows(connection)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void allStatementsAreCommittedTogether(Product product) throws SQLException {
        String url = product.fresh();
        try (Connection connection = open(url)) {
            StatementPipeline pipeline = new StatementPipeline(Sql.on(connection));
            pipeline.update(INSERT, results::add, 1);
            pipeline.update(INSERT, results::add, 2);

            pipeline.sendAndCommit();
            connection.commit();

            connection.rollback();
            assertThat(rows(connection)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noStatementIsExecutedAfterAFailure(Product product) throws SQLException {
        try (Connection connection = open(product.fresh())) {
            StatementPipeline pipeline = new StatementPipeline(Sql.on(connection));
            pipeline.update(INSERT, results::add, 1);
            pipeline.update(INSERT, results::add, 1); // the key exists
            pipeline.update(INSERT, results::add, 2);

            assertThatThrownBy(pipeline::sendAndCommit).isInstanceOf(SQLException.class);

            connection.rollback();
            assertThat(rows(connection)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionCanBeRolledBackAfterAReaderThrows(Product product) throws SQLException {
        try (Connection connection = open(product.fresh())) {
            StatementPipeline pipeline = new StatementPipeline(Sql.on(connection));
            pipeline.update(
                    INSERT,
                    changed -> {
                        throw new IllegalStateException("from the reader");
                    },
                    1);
            pipeline.update(INSERT, results::add, 2);

            assertThatThrownBy(pipeline::send).hasMessage("from the reader");

            connection.rollback();
            assertThat(rows(connection)).isZero();
        }
    }

    private static Connection open(String url) throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (n int PRIMARY KEY)");
        }
        connection.setAutoCommit(false);
        return connection;
    }

    private void numbers(ResultSet row) throws SQLException {
        while (row.next()) {
            results.add(row.getInt(1));
        }
    }

    private static int rows(Connection connection) throws SQLException {
        return Sql.on(connection).query("SELECT count(*) FROM t", row -> row.next() ? row.getInt(1) : -1);
    }
}

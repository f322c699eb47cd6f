package io.waybill.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

/** Whether statements go together or one by one, nobody can tell but by the time it takes. */
class StatementPipelineTest {
    private static final String INSERT = "INSERT INTO t VALUES (?)";
    private static final String ALL = "SELECT n FROM t WHERE n = ANY (?) ORDER BY n";

    private final List<Integer> answers = new ArrayList<>();

    enum Product {
        POSTGRESQL,
        MARIADB,
        H2;

        String fresh() {
            return switch (this) {
                case POSTGRESQL -> SharedServers.freshDatabase();
                case MARIADB -> SharedServers.freshMariaDb();
                case H2 -> H2Database.fresh();
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachSeesWhatThoseBeforeItDid(Product product) throws SQLException {
        try (Connection connection = open(product.fresh())) {
            StatementPipeline message = new StatementPipeline(Sql.on(connection));
            message.query(ALL, this::numbers, List.of(1, 2));
            message.update(INSERT, answers::add, 1);
            message.query(ALL, this::numbers, List.of(1, 2));
            message.update("UPDATE t SET n = n + 1", answers::add);
            message.query(ALL, this::numbers, List.of(1, 2));

            message.send();

            assertThat(answers).containsExactly(1, 1, 1, 2);
            connection.rollback();
            assertThat(rows(connection)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void itIsCommittedAllAtOnce(Product product) throws SQLException {
        String url = product.fresh();
        try (Connection connection = open(url)) {
            StatementPipeline message = new StatementPipeline(Sql.on(connection));
            message.update(INSERT, answers::add, 1);
            message.update(INSERT, answers::add, 2);

            message.sendAndCommit();
            connection.commit();

            connection.rollback();
            assertThat(rows(connection)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsDoneAfterOneThatFails(Product product) throws SQLException {
        try (Connection connection = open(product.fresh())) {
            StatementPipeline message = new StatementPipeline(Sql.on(connection));
            message.update(INSERT, answers::add, 1);
            message.update(INSERT, answers::add, 1); // its key is taken
            message.update(INSERT, answers::add, 2);

            assertThatThrownBy(message::sendAndCommit).isInstanceOf(SQLException.class);

            connection.rollback();
            assertThat(rows(connection)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoReadsAnAnswerMayEndTheTransaction(Product product) throws SQLException {
        try (Connection connection = open(product.fresh())) {
            StatementPipeline message = new StatementPipeline(Sql.on(connection));
            message.update(
                    INSERT,
                    changed -> {
                        throw new IllegalStateException("not ours");
                    },
                    1);
            message.update(INSERT, answers::add, 2);

            assertThatThrownBy(message::send).hasMessage("not ours");

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
            answers.add(row.getInt(1));
        }
    }

    private static int rows(Connection connection) throws SQLException {
        return Sql.on(connection).query("SELECT count(*) FROM t", row -> row.next() ? row.getInt(1) : -1);
    }
}

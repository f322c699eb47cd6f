package io.waybill.embedded.mongo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Deque;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Connections to PostgreSQL, and statements on them. */
final class Connections {
    /** The engine returns a document as this prefix and hexadecimal digits. */
    private static final int BSON_PREFIX = "BSONHEX".length();

    private final String jdbcUrl;
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();

    Connections(String jdbcUrl) {
        this.jdbcUrl = jdbcUrl;
    }

    Connection borrow() throws SQLException {
        Connection connection = idle.pollFirst();
        return connection != null ? connection : DriverManager.getConnection(jdbcUrl);
    }

    void giveBack(Connection connection) {
        idle.addFirst(connection);
    }

    static void discard(@Nullable Connection connection) {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException broken) {
            // it is not used again
        }
    }

    void discardIdle() {
        for (Connection connection = idle.pollFirst(); connection != null; connection = idle.pollFirst()) {
            discard(connection);
        }
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Prepares a statement in which {@code B} stands for a document. */
    static PreparedStatement prepare(Connection connection, String sql, Object... arguments) throws SQLException {
        PreparedStatement statement =
                connection.prepareStatement(sql.replace("B", "documentdb_core.bson_from_bytea(?)"));
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
        return statement;
    }

    /** Returns the first column of the first row; null if there is no row. */
    static @Nullable String text(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, arguments);
                ResultSet result = statement.executeQuery()) {
            return result.next() ? result.getString(1) : null;
        }
    }

    static BsonDocument document(Connection connection, String sql, Object... arguments) throws SQLException {
        String hex = text(connection, sql, arguments);
        return hex == null ? Bson.ok() : Bson.decode(HexFormat.of().parseHex(hex.substring(BSON_PREFIX)));
    }
}

package io.waybill.jdbc;

import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A statement of the inbox with its parameters, bound in order; errors say what it was for. */
final class InboxStatement {
    private InboxStatement() {}

    @FunctionalInterface
    interface Reader<R> {
        R read(ResultSet rows) throws SQLException;
    }

    static int update(Connection connection, String what, String sql, @Nullable Object... parameters) {
        try (PreparedStatement statement = bind(connection, sql, parameters)) {
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw explain(what, e);
        }
    }

    static <R> R query(
            Connection connection, String what, String sql, Reader<R> reader, @Nullable Object... parameters) {
        try (PreparedStatement statement = bind(connection, sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            return reader.read(rows);
        } catch (SQLException e) {
            throw explain(what, e);
        }
    }

    static boolean exists(Connection connection, String what, String sql, @Nullable Object... parameters) {
        return query(connection, what, sql, ResultSet::next, parameters);
    }

    private static PreparedStatement bind(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int i = 0; i < parameters.length; i++) {
                set(connection, statement, i + 1, parameters[i]);
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    private static void set(Connection connection, PreparedStatement statement, int index, @Nullable Object value)
            throws SQLException {
        if (value == null) {
            statement.setNull(index, Types.NULL);
        } else if (value instanceof Duration duration) {
            statement.setDouble(index, duration.toNanos() / 1e9);
        } else if (value instanceof Instant time) {
            statement.setObject(index, time.atOffset(ZoneOffset.UTC));
        } else if (value instanceof Map<?, ?> headers) {
            statement.setObject(index, InboxRows.json(headers), Types.OTHER);
        } else if (value instanceof byte[] bytes) {
            statement.setBytes(index, bytes);
        } else if (value instanceof List<?> ids) {
            statement.setArray(
                    index,
                    connection.createArrayOf(
                            ids.stream().allMatch(UUID.class::isInstance) ? "uuid" : "text", ids.toArray()));
        } else {
            statement.setObject(index, value);
        }
    }

    private static StoreException explain(String what, SQLException e) {
        StoreException known = SqlErrors.explain(what, e);
        String state = e.getSQLState();
        return "42P01".equals(state)
                ? new StoreException(
                        "Cannot " + what
                                + ": the inbox's tables do not exist. Create them with waybill inbox schema apply,"
                                + " or give the output of waybill inbox schema print to your migration tool.",
                        e)
                : known;
    }
}

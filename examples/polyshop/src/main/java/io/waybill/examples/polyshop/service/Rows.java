package io.waybill.examples.polyshop.service;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Statements on a connection. */
public final class Rows {
    private Rows() {}

    /** Reads one row. */
    public interface Reader<R> {
        R read(ResultSet row) throws SQLException;
    }

    /** Returns the number of changed rows. */
    public static int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    public static <R> List<R> list(Connection connection, String sql, Reader<R> reader, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            List<R> read = new ArrayList<>();
            while (rows.next()) {
                read.add(reader.read(rows));
            }
            return read;
        }
    }

    public static <R> Optional<R> first(
            Connection connection, String sql, Reader<R> reader, @Nullable Object... parameters) throws SQLException {
        List<R> read = list(connection, sql, reader, parameters);
        return read.isEmpty() ? Optional.empty() : Optional.of(read.get(0));
    }

    private static PreparedStatement prepare(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }
}

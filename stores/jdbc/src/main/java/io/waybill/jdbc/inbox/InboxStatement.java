package io.waybill.jdbc.inbox;

import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlErrors;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A statement of the inbox with its parameters, bound in order; errors say what it was for. */
final class InboxStatement {
    private InboxStatement() {}

    /** Picks one of the statements that differ between databases. */
    @FunctionalInterface
    interface Choice {
        String of(InboxStatements statements);
    }

    static int update(Connection connection, String what, String sql, @Nullable Object... parameters) {
        return update(connection, what, statements -> sql, parameters);
    }

    static int update(Connection connection, String what, Choice statement, @Nullable Object... parameters) {
        try {
            Sql sql = on(connection, parameters);
            return sql.update(statement.of(InboxStatements.of(sql.dialect())), parameters);
        } catch (SQLException e) {
            throw explain(what, e);
        }
    }

    /** @return whether it was inserted: not when there is a row with its key */
    static boolean insert(Connection connection, String what, String sql, @Nullable Object... parameters) {
        return insert(connection, what, statements -> sql, parameters);
    }

    /** {@link #insert(Connection, String, String, Object...)}. */
    static boolean insert(Connection connection, String what, Choice statement, @Nullable Object... parameters) {
        try {
            Sql sql = on(connection, parameters);
            return sql.insert(statement.of(InboxStatements.of(sql.dialect())), parameters);
        } catch (SQLException e) {
            throw explain(what, e);
        }
    }

    private static Sql on(Connection connection, @Nullable Object... parameters) throws SQLException {
        Sql sql = Sql.on(connection);
        for (Object parameter : parameters) {
            if (parameter instanceof byte[] value) {
                sql.dialect().requireRoom(connection, value);
            }
        }
        return sql;
    }

    static <R> R query(
            Connection connection, String what, String sql, Reader<R> reader, @Nullable Object... parameters) {
        return query(connection, what, statements -> sql, reader, parameters);
    }

    static <R> R query(
            Connection connection, String what, Choice statement, Reader<R> reader, @Nullable Object... parameters) {
        try {
            Sql sql = Sql.on(connection);
            Dialect dialect = sql.dialect();
            return sql.query(statement.of(InboxStatements.of(dialect)), row -> reader.read(dialect, row), parameters);
        } catch (SQLException e) {
            throw explain(what, e);
        }
    }

    static boolean exists(Connection connection, String what, String sql, @Nullable Object... parameters) {
        return exists(connection, what, statements -> sql, parameters);
    }

    static boolean exists(Connection connection, String what, Choice statement, @Nullable Object... parameters) {
        return query(connection, what, statement, (dialect, row) -> row.next(), parameters);
    }

    @FunctionalInterface
    interface Reader<R> {
        R read(Dialect dialect, ResultSet rows) throws SQLException;
    }

    private static StoreException explain(String what, SQLException e) {
        StoreException known = SqlErrors.explain(what, e);
        String state = SqlState.of(e);
        return "42P01".equals(state)
                ? new StoreException(
                        "Cannot " + what
                                + ": the inbox's tables do not exist. Create them with waybill inbox schema apply,"
                                + " or give the output of waybill inbox schema print to your migration tool.",
                        e)
                : known;
    }
}

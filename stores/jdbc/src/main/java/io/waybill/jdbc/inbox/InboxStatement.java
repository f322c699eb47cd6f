package io.waybill.jdbc.inbox;

import io.waybill.jdbc.internal.sql.StatementRunner;
import io.waybill.jdbc.internal.sql.StatementRunner.Choice;
import io.waybill.jdbc.internal.sql.StatementRunner.Reader;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** Executes statements of the inbox. Errors name the work that failed. */
final class InboxStatement {
    private static final StatementRunner<InboxStatements> RUNNER =
            new StatementRunner<>(InboxStatements.STATEMENTS, InboxSchema.SCHEMA.missing());

    private InboxStatement() {}

    static int update(Connection connection, String what, String sql, @Nullable Object... parameters) {
        return update(connection, what, statements -> sql, parameters);
    }

    static int update(
            Connection connection, String what, Choice<InboxStatements> statement, @Nullable Object... parameters) {
        return RUNNER.update(connection, what, statement, parameters);
    }

    /** @return false when the key exists, and no row was inserted */
    static boolean insert(Connection connection, String what, String sql, @Nullable Object... parameters) {
        return insert(connection, what, statements -> sql, parameters);
    }

    /**
     * Like {@link #insert(Connection, String, String, Object...)}, with one of the statements that differ between
     * databases.
     */
    static boolean insert(
            Connection connection, String what, Choice<InboxStatements> statement, @Nullable Object... parameters) {
        return RUNNER.insert(connection, what, statement, parameters);
    }

    static <R> R query(
            Connection connection, String what, String sql, Reader<R> reader, @Nullable Object... parameters) {
        return query(connection, what, statements -> sql, reader, parameters);
    }

    static <R> R query(
            Connection connection,
            String what,
            Choice<InboxStatements> statement,
            Reader<R> reader,
            @Nullable Object... parameters) {
        return RUNNER.query(connection, what, statement, reader, parameters);
    }

    static boolean exists(Connection connection, String what, String sql, @Nullable Object... parameters) {
        return exists(connection, what, statements -> sql, parameters);
    }

    static boolean exists(
            Connection connection, String what, Choice<InboxStatements> statement, @Nullable Object... parameters) {
        return RUNNER.exists(connection, what, statement, parameters);
    }
}

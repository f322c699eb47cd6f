package io.waybill.jdbc.internal.sql;

import io.waybill.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Executes statements on the tables of one component, for example the inbox. Errors name the work that failed.
 *
 * @param <S> the statements that differ between databases
 */
public final class StatementRunner<S> {
    /** A text of this many chars fits into the smallest packet size in common use. */
    private static final int SMALL_TEXT = 1 << 17;

    private final PerDialect<S> statements;
    private final String missingTables;

    /** @param missingTables the error message after "Cannot … : " when the tables do not exist, with the remedy */
    public StatementRunner(PerDialect<S> statements, String missingTables) {
        this.statements = statements;
        this.missingTables = missingTables;
    }

    /** Selects one of the statements that differ between databases. */
    @FunctionalInterface
    public interface Choice<S> {
        String of(S statements);
    }

    @FunctionalInterface
    public interface Reader<R> {
        R read(Dialect dialect, ResultSet rows) throws SQLException;
    }

    /** Work with several statements. */
    @FunctionalInterface
    public interface Work<S, R> {
        R on(Sql sql, S statements) throws SQLException;
    }

    public int update(Connection connection, String what, Choice<S> statement, @Nullable Object... parameters) {
        return run(connection, what, (sql, all) -> {
            requireFitPackets(sql, connection, parameters);
            return sql.update(statement.of(all), parameters);
        });
    }

    /** @return false when the key exists, and no row was inserted */
    public boolean insert(Connection connection, String what, Choice<S> statement, @Nullable Object... parameters) {
        return run(connection, what, (sql, all) -> {
            requireFitPackets(sql, connection, parameters);
            return sql.insert(statement.of(all), parameters);
        });
    }

    public <R> R query(
            Connection connection, String what, Choice<S> statement, Reader<R> reader, @Nullable Object... parameters) {
        return run(connection, what, (sql, all) -> {
            Dialect dialect = sql.dialect();
            return sql.query(statement.of(all), row -> reader.read(dialect, row), parameters);
        });
    }

    public boolean exists(Connection connection, String what, Choice<S> statement, @Nullable Object... parameters) {
        return query(connection, what, statement, (dialect, row) -> row.next(), parameters);
    }

    public <R> R run(Connection connection, String what, Work<S, R> work) {
        try {
            Sql sql = Sql.on(connection);
            return work.on(sql, statements.of(sql.dialect()));
        } catch (SQLException e) {
            throw explain(what, e);
        }
    }

    /** See {@link Dialect#requireFitsPacket}. */
    public static void requireFitPackets(Sql sql, Connection connection, @Nullable Object... parameters)
            throws SQLException {
        for (Object parameter : parameters) {
            if (parameter instanceof byte[] value) {
                sql.dialect().requireFitsPacket(connection, value);
            } else if (parameter instanceof String text && text.length() > SMALL_TEXT) {
                sql.dialect().requireFitsPacket(connection, text.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private StoreException explain(String what, SQLException e) {
        return DatabaseRemedy.of(e) == DatabaseRemedy.MISSING_TABLE
                ? new StoreException("Cannot " + what + ": " + missingTables, e)
                : StoreExceptions.explain(what, e);
    }
}

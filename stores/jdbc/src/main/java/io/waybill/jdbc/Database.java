package io.waybill.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Runs short transactions on pooled connections. */
final class Database {
    private final DataSource dataSource;

    Database(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @FunctionalInterface
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /** @param what names the work in an error message, as in "Cannot claim events of lane 3" */
    <T> T transaction(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollback(connection, e);
                throw e;
            } finally {
                restore(connection, autoCommit);
            }
        } catch (SQLException e) {
            throw SqlErrors.explain(what, e);
        }
    }

    /** Runs one query; on a connection in auto-commit mode that is one round trip, without a commit of its own. */
    <T> T query(String what, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            if (connection.getAutoCommit()) {
                return work.on(connection);
            }
        } catch (SQLException e) {
            throw SqlErrors.explain(what, e);
        }
        return transaction(what, work);
    }

    private static void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** A connection that died cannot be restored; its pool finds out by itself. */
    private static void restore(Connection connection, boolean autoCommit) {
        try {
            if (!connection.isClosed()) {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            // the transaction's own exception, if any, says more
        }
    }
}

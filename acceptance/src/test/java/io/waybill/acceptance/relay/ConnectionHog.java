package io.waybill.acceptance.relay;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** Takes all connections of a database, as another client might. */
final class ConnectionHog implements AutoCloseable {
    private static final String TOO_MANY = "53300";

    private final Deque<Connection> taken = new ArrayDeque<>();
    private final Set<Long> own = new HashSet<>();

    private ConnectionHog() {}

    /** Ends the sessions of others repeatedly until all connections are taken. */
    static ConnectionHog all(String jdbcUrl) throws SQLException {
        ConnectionHog all = new ConnectionHog();
        all.take(jdbcUrl);
        long most = all.number("SELECT current_setting('max_connections')::int");
        while (all.taken.size() < most) {
            all.endOthers();
            all.take(jdbcUrl);
        }
        return all;
    }

    private void take(String jdbcUrl) throws SQLException {
        try {
            while (true) {
                taken.push(DriverManager.getConnection(jdbcUrl));
                own.add(number("SELECT pg_backend_pid()"));
            }
        } catch (SQLException e) {
            if (!TOO_MANY.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    private void endOthers() throws SQLException {
        String ours = own.toString().replace('[', '{').replace(']', '}');
        number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                + " WHERE backend_type = 'client backend' AND pid <> ALL ('" + ours + "'::int[])");
    }

    /** Runs a query on one of these connections, because no other can be opened. */
    long number(String sql) throws SQLException {
        try (Statement statement = taken.element().createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : taken) {
            connection.close();
        }
    }
}

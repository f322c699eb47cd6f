package io.waybill.acceptance;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** Every connection that a database can give, in the hands of a stranger. */
final class TakenConnections implements AutoCloseable {
    private static final String TOO_MANY = "53300";

    private final Deque<Connection> taken = new ArrayDeque<>();
    private final Set<Long> own = new HashSet<>();

    private TakenConnections() {}

    /** Ends those of others, as often as they come back, until all are ours. */
    static TakenConnections all(String jdbcUrl) throws SQLException {
        TakenConnections all = new TakenConnections();
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

    /** Asks on one of these connections: nobody else gets one. */
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

package io.waybill.server.database.jdbc;

import io.waybill.jdbc.Engine;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.problem.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The checks of {@code waybill doctor} for one kind of database server. */
interface ServerCheck {
    /** Checks version and durability. */
    void examine(Connection connection, DatabaseAddress address, List<Finding> findings) throws SQLException;

    Instant now(Connection connection) throws SQLException;

    /** @return whether the user has all privileges of a relay */
    boolean privileges(Connection connection, Engine engine, List<Finding> findings) throws SQLException;

    /** Returns the GRANT statements for those of the privileges that the user lacks. The map's keys are tables. */
    default List<String> missing(Connection connection, Map<String, String> privileges) throws SQLException {
        return List.of();
    }

    /** Whether the server hides a table from users who have no privilege on it. */
    default boolean hidesTables() {
        return false;
    }

    /** The GRANT statement for these privileges. */
    default String grant(Connection connection, List<String> privileges, String table) throws SQLException {
        return "GRANT " + String.join(", ", privileges) + " ON " + table + " TO "
                + text(connection, "SELECT current_user()") + ";";
    }

    static String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}

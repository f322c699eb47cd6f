package io.waybill.server.database;

import io.waybill.jdbc.Engine;
import io.waybill.server.problem.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;

/** What is asked of one kind of database server. */
public interface ServerCheck {
    /** Its version and its durability. */
    void examine(Connection connection, DatabaseAddress address, List<Finding> findings) throws SQLException;

    Instant now(Connection connection) throws SQLException;

    /** @return whether a relay may do all it must */
    boolean privileges(Connection connection, Engine engine, List<Finding> findings) throws SQLException;

    /** Whether a table seems to be missing to a user who may do nothing with it. */
    default boolean hidesTables() {
        return false;
    }

    /** The statement that allows this. */
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

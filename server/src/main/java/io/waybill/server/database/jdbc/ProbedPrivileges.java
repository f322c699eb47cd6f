package io.waybill.server.database.jdbc;

import io.waybill.jdbc.internal.sql.SqlState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Checks privileges by executing statements that affect no rows, for servers that do not list all privileges of a user. */
final class ProbedPrivileges extends Privileges {
    /** The first writable column. The server hides columns from users who have no privilege on the table. */
    private static final String COLUMN = """
            SELECT column_name FROM information_schema.columns
            WHERE table_schema = database() AND table_name = ? AND extra NOT LIKE '%GENERATED%' ORDER BY ordinal_position LIMIT 1""";

    private final Connection connection;

    ProbedPrivileges(Connection connection) {
        super(connection);
        this.connection = connection;
    }

    @Override
    boolean has(String table, String privilege) throws SQLException {
        Optional<String> column = column(table);
        if (column.isEmpty()) {
            return allowed("SELECT 1 FROM " + table + " WHERE 1 = 0");
        }
        return allowed(
                switch (privilege) {
                    case "SELECT" -> "SELECT " + column.get() + " FROM " + table + " WHERE 1 = 0";
                    case "INSERT" ->
                        "INSERT IGNORE INTO " + table + " (" + column.get() + ") SELECT 0 FROM dual WHERE 1 = 0";
                    case "UPDATE" -> "UPDATE " + table + " SET " + column.get() + " = 0 WHERE 1 = 0";
                    case "DELETE" -> "DELETE FROM " + table + " WHERE 1 = 0";
                    default -> throw new IllegalArgumentException(privilege);
                });
    }

    private Optional<String> column(String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COLUMN)) {
            statement.setString(1, table);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of("`" + row.getString(1) + "`") : Optional.empty();
            }
        }
    }

    /** A missing table counts as allowed: it is reported elsewhere. */
    private boolean allowed(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return true;
        } catch (SQLException e) {
            return switch (SqlState.of(e)) {
                case SqlState.INSUFFICIENT_PRIVILEGE -> false;
                case SqlState.UNDEFINED_TABLE -> true;
                default -> throw e;
            };
        }
    }
}

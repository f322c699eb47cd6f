package io.waybill.server.database;

import io.waybill.jdbc.Engine;
import io.waybill.server.problem.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;

/** H2, which promises less than the others. */
final class H2Check implements ServerCheck {
    @Override
    public void examine(Connection connection, DatabaseAddress address, List<Finding> findings) throws SQLException {
        findings.add(Finding.ok(
                "database", "H2 " + connection.getMetaData().getDatabaseProductVersion() + " at " + address));
        findings.add(Finding.warning(
                "durability",
                "H2 does not wait for the disk: a crash of the machine can take back what is committed.",
                "Use it for tests and trials, and PostgreSQL or MariaDB for what matters."));
    }

    @Override
    public Instant now(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_timestamp(6)")) {
            row.next();
            return row.getObject(1, OffsetDateTime.class).toInstant();
        }
    }

    @Override
    public boolean privileges(Connection connection, Engine engine, List<Finding> findings) {
        return true;
    }
}

package io.waybill.server.database.jdbc;

import io.waybill.jdbc.Engine;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.problem.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;

/** Checks H2, which is less durable than the other databases. */
final class H2Check implements ServerCheck {
    @Override
    public void examine(Connection connection, DatabaseAddress address, List<Finding> findings) throws SQLException {
        findings.add(Finding.ok(
                "database", "H2 " + connection.getMetaData().getDatabaseProductVersion() + " at " + address));
        findings.add(Finding.warning(
                "durability",
                "H2 does not flush its files on commit: a crash of the machine can lose committed transactions.",
                "Use H2 for tests and trials only. Use PostgreSQL or MariaDB in production."));
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

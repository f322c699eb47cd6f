package io.waybill.server.database.jdbc;

import static io.waybill.server.database.jdbc.ServerCheck.text;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.Engine;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/** Checks MariaDB and MySQL. */
final class MariaDbCheck implements ServerCheck {
    @Override
    public void examine(Connection connection, DatabaseAddress address, List<Finding> findings) throws SQLException {
        DatabaseMetaData server = connection.getMetaData();
        String name = server.getDatabaseProductName() + " " + server.getDatabaseProductVersion() + " at " + address;
        boolean mariaDb = server.getDatabaseProductName().equals(DatabaseProduct.MARIADB.title());
        int version = server.getDatabaseMajorVersion() * 100 + server.getDatabaseMinorVersion();
        findings.add(
                version >= (mariaDb ? 1_011 : 800)
                        ? Finding.ok("database", name)
                        : Finding.failure("database", name, "Use MariaDB 10.11 or MySQL 8, or newer.", Exit.DATABASE));
        if (text(connection, "SELECT @@read_only").equals("1")) {
            findings.add(Finding.failure(
                    "writable", "The database is read-only.", "Connect to the primary.", Exit.DATABASE));
        }
        String flush = text(connection, "SELECT @@innodb_flush_log_at_trx_commit");
        findings.add(
                flush.equals("1")
                        ? Finding.ok("durability", "innodb_flush_log_at_trx_commit is 1")
                        : Finding.warning(
                                "durability",
                                "innodb_flush_log_at_trx_commit is " + flush
                                        + ": a crash of the machine can lose committed transactions whose events are"
                                        + " already published.",
                                "Set innodb_flush_log_at_trx_commit=1 on the server. It cannot be set for single transactions."));
    }

    @Override
    public Instant now(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT utc_timestamp(6)")) {
            row.next();
            return row.getObject(1, LocalDateTime.class).toInstant(ZoneOffset.UTC);
        }
    }

    @Override
    public boolean privileges(Connection connection, Engine engine, List<Finding> findings) throws SQLException {
        return new ProbedPrivileges(connection).examine(this, engine, findings);
    }

    @Override
    public List<String> missing(Connection connection, Map<String, String> privileges) throws SQLException {
        return new ProbedPrivileges(connection).missing(this, privileges);
    }

    @Override
    public boolean hidesTables() {
        return true;
    }

    @Override
    public String grant(Connection connection, List<String> privileges, String table) throws SQLException {
        String user = text(
                connection,
                "SELECT concat(quote(substring_index(current_user(), '@', 1)), '@',"
                        + " quote(substring_index(current_user(), '@', -1)))");
        return "GRANT " + String.join(", ", privileges) + " ON " + table + " TO " + user + ";";
    }
}

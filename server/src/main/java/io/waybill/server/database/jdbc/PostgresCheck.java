package io.waybill.server.database.jdbc;

import static io.waybill.server.database.jdbc.ServerCheck.text;

import io.waybill.jdbc.Engine;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.postgresql.PGConnection;

/** Checks PostgreSQL, directly or through a connection pooler. */
final class PostgresCheck implements ServerCheck {
    private static final int OLDEST_VERSION = 130_000;
    private static final Duration LONG_TRANSACTION = Duration.ofMinutes(15);

    @Override
    public Instant now(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
            row.next();
            return row.getObject(1, OffsetDateTime.class).toInstant();
        }
    }

    @Override
    public void examine(Connection connection, DatabaseAddress address, List<Finding> findings) throws SQLException {
        int version = Integer.parseInt(text(connection, "SELECT current_setting('server_version_num')"));
        String name = "PostgreSQL " + text(connection, "SELECT current_setting('server_version')") + " at " + address;
        findings.add(
                version >= OLDEST_VERSION
                        ? Finding.ok("database", name)
                        : Finding.failure("database", name, "Use PostgreSQL 13 or newer.", Exit.DATABASE));
        if (text(connection, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'")
                .equals("t")) {
            findings.add(Finding.failure(
                    "writable", "The database is read-only.", "Connect to the primary.", Exit.DATABASE));
        }
        durability(connection, findings);
        pooler(connection, findings);
    }

    private static void durability(Connection connection, List<Finding> findings) throws SQLException {
        List<String> off = new ArrayList<>();
        for (String setting : List.of("fsync", "full_page_writes")) {
            if (setting(connection, setting).equals("off")) {
                off.add(setting);
            }
        }
        if (off.isEmpty()) {
            findings.add(Finding.ok("durability", "fsync and full_page_writes are on"));
        } else {
            findings.add(Finding.warning(
                    "durability",
                    String.join(" and ", off) + " off: a crash of the machine can lose or damage committed events.",
                    "Switch " + String.join(" and ", off) + " on in postgresql.conf."));
        }
        String commit = setting(connection, "synchronous_commit");
        if (commit.equals("off")) {
            findings.add(
                    Finding.warning(
                            "synchronous_commit",
                            "off for this user: a crash can lose transactions that were reported as committed, with their events.",
                            "Switch it on for services whose writes matter. The relay never publishes events that a crash can still lose."));
        } else {
            findings.add(Finding.ok("synchronous_commit", commit));
        }
    }

    /** A pooler reports process ids of its own to its clients. */
    private static void pooler(Connection connection, List<Finding> findings) throws SQLException {
        PGConnection driver = connection.unwrap(PGConnection.class);
        if (Integer.toString(driver.getBackendPID()).equals(text(connection, "SELECT pg_backend_pid()"))) {
            return;
        }
        if (driver.getPrepareThreshold() == 0) {
            findings.add(Finding.ok("pooler", "found; no statement is prepared on the server"));
        } else {
            findings.add(Finding.warning(
                    "pooler",
                    "The connection goes through a pooler, which may lose prepared statements in transaction mode.",
                    "Add prepareThreshold=0 to the database URL, or use PgBouncer 1.21 or newer with"
                            + " max_prepared_statements above 0."));
        }
    }

    @Override
    public boolean privileges(Connection connection, Engine engine, List<Finding> findings) throws SQLException {
        longTransactions(connection, findings);
        return privileges(connection).examine(this, engine, findings);
    }

    @Override
    public List<String> missing(Connection connection, Map<String, String> privileges) throws SQLException {
        return privileges(connection).missing(this, privileges);
    }

    private static Privileges privileges(Connection connection) {
        return new Privileges(connection) {
            @Override
            boolean has(String table, String privilege) throws SQLException {
                String asked = "SELECT has_table_privilege(to_regclass('" + table + "')::oid, '" + privilege + "')";
                return text(connection, asked).equals("t");
            }
        };
    }

    @Override
    public String grant(Connection connection, List<String> privileges, String table) throws SQLException {
        return "GRANT " + String.join(", ", privileges) + " ON " + table + " TO "
                + text(connection, "SELECT quote_ident(current_user)") + ";";
    }

    /** An old snapshot stops vacuum, which the in-place updates of the queue depend on. */
    private static void longTransactions(Connection connection, List<Finding> findings) throws SQLException {
        String seconds = text(
                connection,
                "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::bigint FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND state <> 'idle' AND backend_xmin IS NOT NULL");
        Duration oldest = Duration.ofSeconds(Long.parseLong(seconds));
        if (oldest.compareTo(LONG_TRANSACTION) > 0) {
            findings.add(Finding.warning(
                    "transactions",
                    "A transaction has been open for " + oldest.toMinutes() + " minutes and blocks vacuum.",
                    "Find it in pg_stat_activity (xact_start) and end it."));
        } else {
            findings.add(Finding.ok("transactions", "no long-running transactions"));
        }
    }

    private static String setting(Connection connection, String name) throws SQLException {
        return text(connection, "SELECT current_setting('" + name + "')");
    }
}

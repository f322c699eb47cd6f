package io.waybill.server.doctor;

import io.waybill.WaybillException;
import io.waybill.jdbc.DatabaseRole;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.operate.Status;
import io.waybill.server.Exit;
import io.waybill.server.Problem;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.Database;
import io.waybill.server.database.OutboxTables;
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
import java.util.Optional;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** Looks at the database: can we reach it, is the schema right, may we do what we must, are its promises kept. */
public final class DatabaseDoctor {
    private static final int OLDEST_VERSION = 130_000;
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);
    private static final Duration LAG = Duration.ofMinutes(1);
    private static final Duration LONG_TRANSACTION = Duration.ofMinutes(15);

    private final Database database;
    private final Configuration configuration;
    private final List<Finding> findings = new ArrayList<>();

    private DatabaseDoctor(Database database, Configuration configuration) {
        this.database = database;
        this.configuration = configuration;
    }

    public static List<Finding> examine(Database database, Configuration configuration) {
        DatabaseDoctor doctor = new DatabaseDoctor(database, configuration);
        DataSource source = database.impatient(10);
        try (Connection connection = source.getConnection()) {
            doctor.server(connection);
            doctor.pooler(connection);
            doctor.clock(connection);
            doctor.schema(source, connection);
        } catch (SQLException | WaybillException e) {
            Problem problem = database.explain(e);
            doctor.add(Finding.failure("database", String.valueOf(problem.getMessage()), "", Exit.DATABASE));
        }
        return doctor.findings;
    }

    private void add(Finding finding) {
        findings.add(finding);
    }

    private void server(Connection connection) throws SQLException {
        int version = Integer.parseInt(text(connection, "SELECT current_setting('server_version_num')"));
        String name = "PostgreSQL " + text(connection, "SELECT current_setting('server_version')") + " at "
                + database.address();
        add(
                version >= OLDEST_VERSION
                        ? Finding.ok("database", name)
                        : Finding.failure("database", name, "Use PostgreSQL 13 or newer.", Exit.DATABASE));
        if (text(connection, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'")
                .equals("t")) {
            add(Finding.failure("writable", "The database is read-only.", "Connect to the primary.", Exit.DATABASE));
        }
        durability(connection);
    }

    private void durability(Connection connection) throws SQLException {
        List<String> off = new ArrayList<>();
        for (String setting : List.of("fsync", "full_page_writes")) {
            if (setting(connection, setting).equals("off")) {
                off.add(setting);
            }
        }
        if (off.isEmpty()) {
            add(Finding.ok("durability", "fsync and full_page_writes are on"));
        } else {
            add(Finding.warning(
                    "durability",
                    String.join(" and ", off) + " off: a crash of the machine can lose or tear committed events.",
                    "Switch " + String.join(" and ", off) + " on in postgresql.conf."));
        }
        String commit = setting(connection, "synchronous_commit");
        if (commit.equals("off")) {
            add(
                    Finding.warning(
                            "synchronous_commit",
                            "off for this user: a crash can take back what a service was told is committed, with its event.",
                            "Leave it on for services whose writes matter. The relay itself never publishes what can be taken back."));
        } else {
            add(Finding.ok("synchronous_commit", commit));
        }
    }

    /** A pooler gives its clients process numbers of its own. */
    private void pooler(Connection connection) throws SQLException {
        PGConnection driver = connection.unwrap(PGConnection.class);
        if (Integer.toString(driver.getBackendPID()).equals(text(connection, "SELECT pg_backend_pid()"))) {
            return;
        }
        if (driver.getPrepareThreshold() == 0) {
            add(Finding.ok("pooler", "there is one, and no statement is prepared on the server"));
        } else {
            add(Finding.warning(
                    "pooler",
                    "A connection pooler stands in between; in transaction mode it may lose prepared statements.",
                    "Add prepareThreshold=0 to the database's address, or use PgBouncer 1.21 or newer with"
                            + " max_prepared_statements above 0."));
        }
    }

    private void clock(Connection connection) throws SQLException {
        Instant before = Instant.now();
        Instant theirs;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
            row.next();
            theirs = row.getObject(1, OffsetDateTime.class).toInstant();
        }
        Instant after = Instant.now();
        Instant ours = before.plus(Duration.between(before, after).dividedBy(2));
        Duration distance = Duration.between(ours, theirs).abs();
        String detail = distance.toMillis() + " ms between this machine and the database";
        add(
                distance.compareTo(CLOCK_TOLERANCE) <= 0
                        ? Finding.ok("clock", detail)
                        : Finding.warning(
                                "clock",
                                detail,
                                "Waybill decides by database time alone, but ages and logs will confuse people: run NTP on both."));
    }

    private void schema(DataSource source, Connection connection) throws SQLException {
        OutboxTables tables = OutboxTables.find(database, source, configuration);
        Optional<List<String>> problems = tables.problemsIfAllowed();
        if (problems.isEmpty()) {
            add(Finding.failure(
                    "schema",
                    "not checked: user " + text(connection, "SELECT current_user") + " may not read all of it.",
                    grant(connection, List.of("SELECT"), "waybill_schema"),
                    Exit.DATABASE));
        } else if (problems.get().isEmpty()) {
            add(Finding.ok(
                    "schema",
                    "version " + OutboxSchema.VERSION + ", " + tables.engine().label() + " engine"));
        } else {
            problems.get().forEach(problem -> add(Finding.failure("schema", problem, "", Exit.DATABASE)));
            return;
        }
        boolean allowed = privileges(connection, tables.engine());
        longTransactions(connection);
        if (allowed) {
            relays(tables.outbox().view().status());
        }
    }

    private boolean privileges(Connection connection, Engine engine) throws SQLException {
        String user = text(connection, "SELECT current_user");
        List<String> relay = missing(connection, DatabaseRole.RELAY.privileges(engine));
        if (!relay.isEmpty()) {
            String writer = may(connection, "outbox_events", "INSERT") ? " may append events, but" : "";
            add(Finding.failure(
                    "privileges",
                    "User " + user + writer + " may not do all that a relay must.",
                    String.join(" ", relay),
                    Exit.DATABASE));
            return false;
        }
        add(Finding.ok("privileges", "a relay may do all it must"));
        List<String> operator = missing(connection, DatabaseRole.OPERATOR.privileges(engine));
        if (!operator.isEmpty()) {
            add(Finding.warning(
                    "operator",
                    "User " + user + " may not replay or discard dead letters; a relay need not.",
                    "Let operators use another user, or: " + String.join(" ", operator)));
        }
        return true;
    }

    /** The grants that are missing, as SQL. */
    private static List<String> missing(Connection connection, Map<String, String> privileges) throws SQLException {
        List<String> grants = new ArrayList<>();
        for (Map.Entry<String, String> needed : privileges.entrySet()) {
            List<String> missing = new ArrayList<>();
            for (String privilege : needed.getValue().split(", ", -1)) {
                if (!may(connection, needed.getKey(), privilege)) {
                    missing.add(privilege);
                }
            }
            if (!missing.isEmpty()) {
                grants.add(grant(connection, missing, needed.getKey()));
            }
        }
        return grants;
    }

    private static boolean may(Connection connection, String table, String privilege) throws SQLException {
        return text(connection, "SELECT has_table_privilege(to_regclass('" + table + "')::oid, '" + privilege + "')")
                .equals("t");
    }

    private static String grant(Connection connection, List<String> privileges, String table) throws SQLException {
        return "GRANT " + String.join(", ", privileges) + " ON " + table + " TO "
                + text(connection, "SELECT quote_ident(current_user)") + ";";
    }

    /** An old snapshot stops vacuum, and with it the in-place updates that the queue lives on. */
    private void longTransactions(Connection connection) throws SQLException {
        String seconds = text(
                connection,
                "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::bigint FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND state <> 'idle' AND backend_xmin IS NOT NULL");
        Duration oldest = Duration.ofSeconds(Long.parseLong(seconds));
        if (oldest.compareTo(LONG_TRANSACTION) > 0) {
            add(Finding.warning(
                    "transactions",
                    "One transaction has been open for " + oldest.toMinutes() + " minutes; vacuum waits for it.",
                    "Find it in pg_stat_activity (xact_start) and end it."));
        } else {
            add(Finding.ok("transactions", "none is open for long"));
        }
    }

    private void relays(Status status) {
        if (status.liveRelays() == 0) {
            add(Finding.warning(
                    "relay",
                    "No relay is running; pending events: " + status.pending() + ".",
                    "Start one with `waybill relay`."));
        } else {
            add(Finding.ok("relay", status.liveRelays() + " live; pending events: " + status.pending()));
        }
        for (Status.LaneStatus lane : status.lanes()) {
            if (lane.lag().compareTo(LAG) > 0) {
                add(Finding.warning(
                        "lane " + lane.lane(),
                        "Lags by " + lane.lag().toMinutes() + " minutes, owner "
                                + (lane.owner().isEmpty() ? "none" : lane.owner())
                                + "; retention removes nothing of this lane behind its oldest waiting event.",
                        lane.owner().isEmpty()
                                ? "Start a relay: nobody serves this lane."
                                : "Look into the log of its relay; stop that one, and another takes the lane."));
            }
        }
        if (status.deadLetters() > 0) {
            add(Finding.warning(
                    "dead letters",
                    status.deadLetters() + " events were given up on.",
                    "See `waybill dead-letters list`."));
        }
    }

    private static String setting(Connection connection, String name) throws SQLException {
        return text(connection, "SELECT current_setting('" + name + "')");
    }

    private static String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}

package io.waybill.server.database.jdbc;

import io.waybill.WaybillException;
import io.waybill.inbox.InboxStatus;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.DatabaseFindings;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import io.waybill.server.problem.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Checks the database: whether it is reachable, its schema, privileges, durability, clock, and the state of relays and lanes. */
final class JdbcDoctor {

    private final JdbcDatabase database;
    private final Configuration configuration;
    private final List<Finding> findings = new ArrayList<>();
    private final ServerCheck server;

    private JdbcDoctor(JdbcDatabase database, Configuration configuration) {
        this.database = database;
        this.configuration = configuration;
        this.server = database.access().check();
    }

    static List<Finding> examine(JdbcDatabase database, Configuration configuration) {
        JdbcDoctor doctor = new JdbcDoctor(database, configuration);
        DataSource source = database.withTimeout(Duration.ofSeconds(10));
        try (Connection connection = source.getConnection()) {
            doctor.server.examine(connection, database.address(), doctor.findings);
            doctor.add(DatabaseFindings.clock(() -> doctor.now(connection)));
            doctor.schema(source, connection);
            doctor.inbox(source);
            new SagaDoctor(doctor.server, database, doctor.findings).examine(source, connection);
        } catch (SQLException | WaybillException e) {
            Problem problem = database.explain(e);
            Exit exit = problem.exit() == Exit.USAGE ? Exit.USAGE : Exit.DATABASE;
            doctor.add(Finding.failure("database", String.valueOf(problem.getMessage()), "", exit));
        }
        return doctor.findings;
    }

    private void add(Finding finding) {
        findings.add(finding);
    }

    private Instant now(Connection connection) {
        try {
            return server.now(connection);
        } catch (SQLException e) {
            throw database.explain(e);
        }
    }

    private void schema(DataSource source, Connection connection) throws SQLException {
        JdbcTables tables = JdbcTables.find(database, source, configuration);
        Optional<List<String>> problems = tables.problemsIfAllowed();
        if (problems.isEmpty()) {
            add(Finding.failure(
                    "schema",
                    "not checked: user " + database.address().user() + " lacks the privilege to read it.",
                    server.grant(connection, List.of("SELECT"), "waybill_schema"),
                    Exit.DATABASE));
        } else if (problems.get().isEmpty()) {
            add(Finding.ok("schema", "version " + OutboxSchema.VERSION + ", " + tables.title()));
        } else {
            problems.get().forEach(problem -> add(Finding.failure("schema", problem, "", Exit.DATABASE)));
            List<Finding> forbidden = new ArrayList<>();
            if (server.hidesTables() && !server.privileges(connection, tables.engine(), forbidden)) {
                findings.addAll(forbidden);
            }
            return;
        }
        List<String> refused = problems.isPresent() ? tables.relayProblems() : List.of();
        refused.forEach(problem -> add(Finding.failure("relay", problem, "", Exit.DATABASE)));
        for (LayoutFinding finding : tables.findings()) {
            if (finding.level() == LayoutFinding.Level.COSTS) {
                add(Finding.warning(finding.what(), finding.detail(), finding.remedy()));
            } else if (finding.level() == LayoutFinding.Level.REFUSED) {
                add(Finding.failure(finding.what(), finding.detail(), finding.remedy(), Exit.DATABASE));
            }
        }
        if (server.privileges(connection, tables.engine(), findings) && refused.isEmpty()) {
            findings.addAll(DatabaseFindings.relays(tables.outbox().view().status()));
        }
    }

    /** Adds no findings when there are no inbox tables. */
    private void inbox(DataSource source) {
        List<InboxStatus> groups;
        try {
            if (!InboxSchema.problems(source).isEmpty()) {
                return;
            }
            groups = JdbcInbox.on(source).view().status();
        } catch (WaybillException e) {
            add(Finding.warning(
                    "inbox",
                    "not checked: " + e.getMessage(),
                    "Grant " + database.address().user() + " SELECT on the inbox tables."));
            return;
        }
        findings.addAll(DatabaseFindings.inbox(groups));
    }
}

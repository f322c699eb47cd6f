package io.waybill.server.doctor;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.inbox.InboxStatus;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.ServerCheck;
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
public final class DatabaseDoctor {
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);
    private static final Duration LAG = Duration.ofMinutes(1);

    private final OutboxDatabase database;
    private final Configuration configuration;
    private final List<Finding> findings = new ArrayList<>();
    private final ServerCheck server;

    private DatabaseDoctor(OutboxDatabase database, Configuration configuration) {
        this.database = database;
        this.configuration = configuration;
        this.server = database.address().access().check();
    }

    public static List<Finding> examine(OutboxDatabase database, Configuration configuration) {
        DatabaseDoctor doctor = new DatabaseDoctor(database, configuration);
        DataSource source = database.withTimeout(10);
        try (Connection connection = source.getConnection()) {
            doctor.server.examine(connection, database.address(), doctor.findings);
            doctor.clock(connection);
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

    private void clock(Connection connection) throws SQLException {
        Instant before = Instant.now();
        Instant theirs = server.now(connection);
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
                                "Run NTP on both machines. Waybill uses database time only, but ages and logs will be misleading."));
    }

    private void schema(DataSource source, Connection connection) throws SQLException {
        OutboxTables tables = OutboxTables.find(database, source, configuration);
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
            relays(tables.outbox().view().status());
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
        for (InboxStatus group : groups) {
            if (group.pausedConsumers() > 0) {
                add(
                        Finding.warning(
                                "inbox " + group.group(),
                                "Paused since " + group.pausedSince() + ": " + group.pauseReason(),
                                "Fix the resource that its handlers depend on. The group tries one event at a time and resumes when one succeeds."));
            }
            if (group.deadLetters() > 0) {
                add(Finding.warning(
                        "inbox " + group.group(),
                        givenUp(group.deadLetters()),
                        "See `waybill inbox dead-letters list`."));
            }
        }
    }

    private void relays(OutboxStatus status) {
        if (status.liveRelays() == 0) {
            add(Finding.warning(
                    "relay",
                    "No relay is running; pending events: " + status.pending() + ".",
                    "Start one with `waybill relay`."));
        } else {
            add(Finding.ok("relay", status.liveRelays() + " live; pending events: " + status.pending()));
        }
        for (OutboxStatus.LaneStatus lane : status.lanes()) {
            if (lane.lag().compareTo(LAG) > 0) {
                add(
                        Finding.warning(
                                "lane " + lane.lane(),
                                "Lags by " + lane.lag().toMinutes() + " minutes, owner "
                                        + (lane.owner().isEmpty() ? "none" : lane.owner())
                                        + "; retention deletes only events of this lane before its oldest waiting event.",
                                lane.owner().isEmpty()
                                        ? "Start a relay: no relay owns this lane."
                                        : "Check the log of its relay. Stop that relay to let another relay take over the lane."));
            }
        }
        if (status.deadLetters() > 0) {
            add(Finding.warning("dead letters", givenUp(status.deadLetters()), "See `waybill dead-letters list`."));
        }
    }

    private static String givenUp(long deadLetters) {
        return deadLetters == 1 ? "1 dead letter needs a decision." : deadLetters + " dead letters need a decision.";
    }
}

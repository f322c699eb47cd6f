package io.waybill.server.database.jdbc;

import io.waybill.WaybillException;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaRole;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** Checks the tables of sagas, the privileges of an operator, stuck steps, and whether an engine works. */
final class SagaDoctor {
    private static final Duration LAG = Duration.ofMinutes(1);

    private final ServerCheck server;
    private final JdbcDatabase database;
    private final List<Finding> findings;

    SagaDoctor(ServerCheck server, JdbcDatabase database, List<Finding> findings) {
        this.server = server;
        this.database = database;
        this.findings = findings;
    }

    /** Adds no findings when there are no tables of sagas. */
    void examine(DataSource source, Connection connection) throws SQLException {
        try {
            if (SagaSchema.isInstalled(source)) {
                tables(source, connection);
            }
        } catch (WaybillException e) {
            findings.add(Finding.warning(
                    "sagas",
                    "not checked: " + e.getMessage(),
                    "Grant " + database.address().user() + " SELECT on the tables of sagas."));
        }
    }

    private void tables(DataSource source, Connection connection) throws SQLException {
        List<String> problems = SagaSchema.problems(source);
        problems.forEach(problem -> findings.add(Finding.failure("sagas", problem, "", Exit.DATABASE)));
        if (!problems.isEmpty()) {
            return;
        }
        SagaTotals totals = SagaTotals.of(JdbcSagaStore.on(source).view().activity());
        findings.add(Finding.ok(
                "sagas",
                "version " + SagaSchema.VERSION + "; running: " + totals.running() + ", compensating: "
                        + totals.compensating()));
        List<String> missing = server.missing(connection, SagaRole.OPERATOR.privileges());
        if (!missing.isEmpty()) {
            findings.add(Finding.warning(
                    "saga operator",
                    "User " + database.address().user() + " may not request actions; a relay does not need this.",
                    "Let operators use another user, or: " + String.join(" ", missing)));
        }
        if (totals.stuck() > 0) {
            findings.add(Finding.warning(
                    "stuck sagas",
                    totals.stuck() == 1 ? "1 saga waits for a person." : totals.stuck() + " sagas wait for a person.",
                    "See `waybill sagas list --stuck`."));
        }
        if (totals.timerLag().compareTo(LAG) > 0) {
            findings.add(Finding.warning(
                    "saga engine",
                    "A saga has been due for " + totals.timerLag().toMinutes()
                            + " minutes, and no engine has worked on it.",
                    "Start the service whose engine has its definition and version, or check that service's log."));
        }
    }
}

package io.waybill.chaos.check;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.chaos.fault.Invariant;
import io.waybill.chaos.schedule.InjectedFault;
import io.waybill.faults.history.Checker;
import io.waybill.faults.history.Delivered;
import io.waybill.faults.history.History;
import io.waybill.faults.history.History.Result;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Ledger;
import io.waybill.faults.history.TopicDump;
import io.waybill.processes.Outboxes;
import io.waybill.processes.RelayProgram;
import io.waybill.processes.SagaWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** Waits until the backlog is published and checks all invariants. */
public final class RunChecker {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String WAITING =
            "SELECT count(*) FROM outbox_states WHERE state NOT IN ('PUBLISHED', 'DEAD_LETTER', 'DISCARDED')";

    private final Cluster cluster;
    private final List<InjectedFault> faults;
    private final ResourceUsage before;
    private final List<Finding> findings = new ArrayList<>();

    private RunChecker(Cluster cluster, List<InjectedFault> faults, ResourceUsage before) {
        this.cluster = cluster;
        this.faults = faults;
        this.before = before;
    }

    /**
     * Stops the writers, waits for the relays and consumers to catch up, checks all invariants and stops all processes.
     *
     * @param before the resources of relays and consumers before the first fault
     */
    public static CheckResult check(Cluster cluster, List<InjectedFault> faults, ResourceUsage before)
            throws IOException, SQLException, InterruptedException {
        return new RunChecker(cluster, faults, before).check();
    }

    private CheckResult check() throws IOException, SQLException, InterruptedException {
        long healed = System.nanoTime();
        for (ClusterProcess writer : cluster.writers()) {
            writer.stop();
        }
        cluster.sagas().forEach(process -> process.tell("rest"));
        boolean drained = within(PATIENCE, () -> cluster.database().number(WAITING) == 0);
        double drain = (System.nanoTime() - healed) / 1e9;
        boolean sagasEnded = within(PATIENCE, this::sagasHaveEnded)
                && within(PATIENCE, () -> cluster.database().number(WAITING) == 0);
        Set<UUID> committed = Ledger.committed(cluster.database().jdbcUrl());
        Set<UUID> dead = deadLetters();
        History history = history();
        List<Delivered> topic = TopicDump.read(cluster.broker().bootstrapServers(), Cluster.TOPIC);
        HistoryVerdict verdict =
                Checker.check(history.attempts(), committed, cluster.database().formerly(), topic, dead);
        Set<Invariant> waived = new HashSet<>();
        faults.forEach(fault -> waived.addAll(fault.planned().fault().waives()));
        // effects that the database lost in a failover are not repeated
        boolean caughtUp = waived.contains(Invariant.I5)
                || within(
                        PATIENCE,
                        () -> cluster.database().number("SELECT count(DISTINCT event_id) FROM applied")
                                >= verdict.delivered());
        Set<UUID> due = new HashSet<>(committed);
        due.removeAll(dead);
        EffectCheck effects = EffectCheck.of(cluster, due);
        RunCounts counts = counts(history, committed, verdict, topic.size(), effects, drain);
        check(verdict, counts, effects, waived.contains(Invariant.I5));
        SagaWorkload.Verdict sagas = sagas();
        atRest(drained, caughtUp, drain, sagas, sagasEnded);
        return new CheckResult(
                counts,
                sagas,
                findings.stream().map(finding -> finding.waivedBy(waived)).toList());
    }

    /** @param forgets whether a fault made the database lose commits */
    private void check(HistoryVerdict verdict, RunCounts counts, EffectCheck effects, boolean forgets) {
        List<String> books = new ArrayList<>(verdict.lost());
        verdict.undone().forEach(line -> books.add("bookkeeping: " + line));
        List<String> ghosts = new ArrayList<>(verdict.ghosts());
        if (!forgets) {
            verdict.unkept().forEach(line -> books.add("committed, but lost by the database: " + line));
            verdict.revoked().forEach(line -> ghosts.add("no longer in the database: " + line));
        }
        findings.add(Finding.of(Invariant.I1, verdict.lost().size() + " lost", books));
        findings.add(Finding.of(Invariant.I2, ghosts(verdict), ghosts));
        findings.add(Finding.of(Invariant.I3, verdict.corrupt().size() + " corrupt", verdict.corrupt()));
        findings.add(Finding.of(Invariant.I4, verdict.misordered().size() + " misordered", verdict.misordered()));
        findings.add(Finding.of(
                Invariant.I5,
                counts.effectsApplied() + " of " + counts.effectsExpected() + " effects, " + counts.effectsDoubled()
                        + " twice",
                effects.violations()));
        String allowed = counts.duplicates() + " duplicates; at most " + counts.duplicatesAllowed() + " are allowed ("
                + counts.interruptions() + " interruptions, up to " + RelayProgram.BATCH_SIZE
                + " events in flight each)";
        findings.add(Finding.of(
                Invariant.I6,
                allowed,
                counts.duplicates() > counts.duplicatesAllowed() ? List.of("too many: " + allowed) : List.of()));
    }

    private static String ghosts(HistoryVerdict verdict) {
        String revoked = verdict.revoked().isEmpty()
                ? ""
                : ", and " + verdict.revoked().size() + " that the database lost after their publication";
        return verdict.ghosts().size() + " ghosts" + revoked;
    }

    /** Decides about sagas that wait for a person. */
    private boolean sagasHaveEnded() throws SQLException {
        cluster.sagas().forEach(process -> process.tell("rest"));
        try (var pool = Outboxes.pool(cluster.database().jdbcUrl(), 2)) {
            SagaWorkload workload = new SagaWorkload(pool);
            workload.retryStuck();
            return workload.open() == 0;
        }
    }

    private SagaWorkload.Verdict sagas() throws SQLException {
        try (var pool = Outboxes.pool(cluster.database().jdbcUrl(), 2)) {
            return new SagaWorkload(pool).check();
        }
    }

    private void atRest(boolean drained, boolean caughtUp, double drain, SagaWorkload.Verdict sagas, boolean sagasEnded)
            throws IOException, SQLException, InterruptedException {
        List<String> stuck = new ArrayList<>();
        if (!drained) {
            stuck.add(cluster.database().number(WAITING) + " events are unpublished after " + PATIENCE.toSeconds()
                    + " s");
        }
        if (!caughtUp) {
            stuck.add("the consumers did not catch up within " + PATIENCE.toSeconds() + " s");
        }
        faults.stream()
                .filter(fault -> !fault.problem().isEmpty())
                .forEach(fault -> stuck.add(fault.planned() + ": " + fault.problem()));
        findings.add(Finding.of(Invariant.I7, "drained in " + Math.round(drain * 10) / 10.0 + " s", stuck));
        List<String> unfinished = new ArrayList<>(sagas.violations());
        if (!sagasEnded) {
            unfinished.add(
                    (sagas.started() - sagas.ended()) + " sagas have not ended after " + PATIENCE.toSeconds() + " s");
        }
        findings.add(Finding.of(
                Invariant.I8,
                sagas.started() + " sagas: " + sagas.completed() + " completed, " + sagas.rolledBack()
                        + " rolled back; " + sagas.inDoubt() + " steps in doubt, " + sagas.stale() + " late results",
                unfinished));
        findings.add(Finding.of(
                Invariant.I9, "status, metrics and audit log compared with SQL", StatusCheck.violations(cluster)));
        for (ClusterProcess process : cluster.sagas()) {
            process.stop();
        }
        List<String> leaks = new ArrayList<>(before.violations(ResourceUsage.of(relaysAndConsumers()), cluster));
        for (ClusterProcess process : relaysAndConsumers()) {
            process.stop();
        }
        leaks.addAll(ResourceUsage.leftBehind(cluster));
        findings.add(Finding.of(Invariant.I10, "threads, files, sessions, transactions, lanes", leaks));
    }

    private List<ClusterProcess> relaysAndConsumers() {
        return Stream.concat(cluster.relays().stream(), cluster.consumers().stream())
                .toList();
    }

    private RunCounts counts(
            History history,
            Set<UUID> committed,
            HistoryVerdict verdict,
            int records,
            EffectCheck effects,
            double drain) {
        List<History.Attempt> unknown = history.attempts().stream()
                .filter(attempt -> attempt.result() == Result.UNKNOWN || attempt.result() == Result.INVOKED)
                .toList();
        int restarts = cluster.restarts().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("relay"))
                .mapToInt(java.util.Map.Entry::getValue)
                .sum();
        int interruptions = restarts
                + faults.stream()
                        .mapToInt(fault -> fault.planned().injection().interruptions())
                        .sum();
        return new RunCounts(
                verdict.attempted(),
                (int) history.count(Result.OK),
                (int) history.count(Result.FAIL),
                unknown.size(),
                (int) unknown.stream()
                        .filter(attempt -> committed.contains(attempt.event().id()))
                        .count(),
                verdict.committed(),
                verdict.unkept().size(),
                verdict.delivered(),
                records,
                verdict.deadLetters(),
                verdict.lost().size(),
                verdict.ghosts().size(),
                verdict.corrupt().size(),
                verdict.misordered().size(),
                verdict.duplicates(),
                interruptions * RelayProgram.BATCH_SIZE,
                interruptions,
                verdict.committed() - verdict.deadLetters(),
                effects.applied(),
                effects.doubled(),
                effects.missing(),
                drain,
                restarts);
    }

    private History history() throws IOException {
        try (Stream<Path> files = Files.list(cluster.histories())) {
            return History.read(files.sorted().toList());
        }
    }

    private Set<UUID> deadLetters() throws SQLException {
        Set<UUID> dead = new HashSet<>();
        try (Connection connection =
                        DriverManager.getConnection(cluster.database().jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM outbox_states WHERE state = 'DEAD_LETTER'")) {
            while (row.next()) {
                dead.add(row.getObject(1, UUID.class));
            }
        }
        return dead;
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    private static boolean within(Duration limit, Condition condition) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() < end) {
            try {
                if (condition.holds()) {
                    return true;
                }
            } catch (SQLException stillRecovering) {
                // retried
            }
            Thread.sleep(100);
        }
        return false;
    }
}

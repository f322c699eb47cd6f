package io.waybill.chaos.check;

import io.waybill.chaos.fault.Happened;
import io.waybill.chaos.fault.Invariant;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.World;
import io.waybill.testkit.history.Checker;
import io.waybill.testkit.history.Delivered;
import io.waybill.testkit.history.History;
import io.waybill.testkit.history.History.Result;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Ledger;
import io.waybill.testkit.history.TopicDump;
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

/** Lets a healed world come to rest and compares what everybody says. */
public final class Judge {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String WAITING =
            "SELECT count(*) FROM outbox_states WHERE state NOT IN ('PUBLISHED', 'DEAD_LETTER', 'DISCARDED')";

    private final World world;
    private final List<Happened> happened;
    private final Footprint before;
    private final List<Finding> findings = new ArrayList<>();

    private Judge(World world, List<Happened> happened, Footprint before) {
        this.world = world;
        this.happened = happened;
        this.before = before;
    }

    /**
     * Stops the writers, waits for the backlog to drain and the consumers to catch up, checks everything and stops the rest.
     *
     * @param before what relays and consumers held before anything was broken
     */
    public static Judgement judge(World world, List<Happened> happened, Footprint before)
            throws IOException, SQLException, InterruptedException {
        return new Judge(world, happened, before).judge();
    }

    private Judgement judge() throws IOException, SQLException, InterruptedException {
        long healed = System.nanoTime();
        for (Member writer : world.writers()) {
            writer.stop();
        }
        boolean drained = within(PATIENCE, () -> world.database().number(WAITING) == 0);
        double drain = (System.nanoTime() - healed) / 1e9;
        Set<UUID> committed = Ledger.committed(world.database().jdbcUrl());
        Set<UUID> dead = deadLetters();
        History history = history();
        List<Delivered> topic = TopicDump.read(world.broker().bootstrapServers(), World.TOPIC);
        HistoryVerdict verdict =
                Checker.check(history.attempts(), committed, world.database().formerly(), topic, dead);
        Set<Invariant> waived = new HashSet<>();
        happened.forEach(fault -> waived.addAll(fault.planned().fault().waives()));
        // effects that the database has lost do not come back
        boolean caughtUp = waived.contains(Invariant.I5)
                || within(
                        PATIENCE,
                        () -> world.database().number("SELECT count(DISTINCT event_id) FROM applied")
                                >= verdict.delivered());
        Set<UUID> due = new HashSet<>(committed);
        due.removeAll(dead);
        EffectCheck effects = EffectCheck.of(world, due);
        Tally tally = tally(history, committed, verdict, topic.size(), effects, drain);
        judge(verdict, tally, effects, waived.contains(Invariant.I5));
        atRest(drained, caughtUp, drain);
        return new Judgement(
                tally,
                findings.stream().map(finding -> finding.waivedBy(waived)).toList());
    }

    /** @param forgets whether a fault made the database lose what it had committed */
    private void judge(HistoryVerdict verdict, Tally tally, EffectCheck effects, boolean forgets) {
        List<String> books = new ArrayList<>(verdict.lost());
        verdict.undone().forEach(line -> books.add("bookkeeping: " + line));
        List<String> ghosts = new ArrayList<>(verdict.ghosts());
        if (!forgets) {
            verdict.unkept().forEach(line -> books.add("committed and not kept: " + line));
            verdict.revoked().forEach(line -> ghosts.add("not in the database any more: " + line));
        }
        findings.add(Finding.of(Invariant.I1, verdict.lost().size() + " lost", books));
        findings.add(Finding.of(Invariant.I2, ghosts(verdict), ghosts));
        findings.add(Finding.of(Invariant.I3, verdict.corrupt().size() + " corrupt", verdict.corrupt()));
        findings.add(Finding.of(Invariant.I4, verdict.misordered().size() + " misordered", verdict.misordered()));
        findings.add(Finding.of(
                Invariant.I5,
                tally.effectsApplied() + " of " + tally.effectsExpected() + " effects, " + tally.effectsDoubled()
                        + " twice",
                effects.violations()));
        String allowed = tally.duplicates() + " duplicates, " + tally.duplicatesAllowed() + " explained by "
                + tally.windows() + " interruptions of at most " + RelayProgram.BATCH_SIZE + " in flight";
        findings.add(Finding.of(
                Invariant.I6,
                allowed,
                tally.duplicates() > tally.duplicatesAllowed() ? List.of("too many: " + allowed) : List.of()));
    }

    private static String ghosts(HistoryVerdict verdict) {
        String revoked = verdict.revoked().isEmpty()
                ? ""
                : ", and " + verdict.revoked().size() + " that the database lost after they were published";
        return verdict.ghosts().size() + " ghosts" + revoked;
    }

    private void atRest(boolean drained, boolean caughtUp, double drain)
            throws IOException, SQLException, InterruptedException {
        List<String> stuck = new ArrayList<>();
        if (!drained) {
            stuck.add(world.database().number(WAITING) + " events still wait after " + PATIENCE.toSeconds() + " s");
        }
        if (!caughtUp) {
            stuck.add("the consumers did not catch up within " + PATIENCE.toSeconds() + " s");
        }
        happened.stream()
                .filter(fault -> !fault.trouble().isEmpty())
                .forEach(fault -> stuck.add(fault.planned() + ": " + fault.trouble()));
        findings.add(Finding.of(Invariant.I7, "drained in " + Math.round(drain * 10) / 10.0 + " s", stuck));
        findings.add(new Finding(Invariant.I8, Finding.State.NOT_JUDGED, "sagas are not built yet", List.of()));
        findings.add(Finding.of(Invariant.I9, "status, metrics and audit against SQL", SameStory.violations(world)));
        List<String> leaks = new ArrayList<>(before.violations(Footprint.of(relaysAndConsumers()), world));
        for (Member member : relaysAndConsumers()) {
            member.stop();
        }
        leaks.addAll(Footprint.leftBehind(world));
        findings.add(Finding.of(Invariant.I10, "threads, files, sessions, transactions, lanes", leaks));
    }

    private List<Member> relaysAndConsumers() {
        return Stream.concat(world.relays().stream(), world.consumers().stream())
                .toList();
    }

    private Tally tally(
            History history,
            Set<UUID> committed,
            HistoryVerdict verdict,
            int records,
            EffectCheck effects,
            double drain) {
        List<History.Attempt> unknown = history.attempts().stream()
                .filter(attempt -> attempt.result() == Result.UNKNOWN || attempt.result() == Result.INVOKED)
                .toList();
        int restarts = world.restarts().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("relay"))
                .mapToInt(java.util.Map.Entry::getValue)
                .sum();
        int windows = restarts
                + happened.stream()
                        .mapToInt(fault -> fault.planned().injection().windows())
                        .sum();
        return new Tally(
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
                windows * RelayProgram.BATCH_SIZE,
                windows,
                verdict.committed() - verdict.deadLetters(),
                effects.applied(),
                effects.doubled(),
                effects.missing(),
                drain,
                restarts);
    }

    private History history() throws IOException {
        try (Stream<Path> files = Files.list(world.histories())) {
            return History.read(files.sorted().toList());
        }
    }

    private Set<UUID> deadLetters() throws SQLException {
        Set<UUID> dead = new HashSet<>();
        try (Connection connection =
                        DriverManager.getConnection(world.database().jdbcUrl());
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
                // asked again
            }
            Thread.sleep(100);
        }
        return false;
    }
}

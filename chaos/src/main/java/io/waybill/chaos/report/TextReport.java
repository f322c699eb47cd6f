package io.waybill.chaos.report;

import io.waybill.chaos.check.Finding;
import io.waybill.chaos.check.RunCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The report for a terminal. */
public final class TextReport {
    private static final int SHOWN = 10;

    private TextReport() {}

    public static String of(RunResult outcome) {
        RunCounts t = outcome.result().counts();
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("Engine " + outcome.engine() + ", seed " + outcome.seed() + ", "
                + outcome.length().toSeconds() + " s, " + outcome.faults().size() + " faults");
        lines.add("  faults     " + counts(outcome.byFault()));
        outcome.faults().stream()
                .filter(fault -> !fault.problem().isEmpty())
                .forEach(fault -> lines.add("  problem    " + fault.planned() + ": " + fault.problem()));
        if (!outcome.restarts().isEmpty()) {
            lines.add("  restarted  " + counts(outcome.restarts()) + " (ended unexpectedly; see logs)");
        }
        lines.add(number("attempted", t.attempted())
                + number("acknowledged", t.acknowledged())
                + number("failed", t.failed())
                + number("unknown", t.unknown())
                + " (" + t.unknownKept() + " of them committed)");
        lines.add(number("committed", t.committed())
                + number("delivered", t.delivered())
                + number("records", t.records())
                + number("dead letters", t.deadLetters()));
        lines.add(number("lost", t.lost())
                + number("ghost", t.ghosts())
                + number("corrupt", t.corrupt())
                + number("misordered", t.misordered())
                + number("lost commits", t.unkept()));
        lines.add(number("duplicated", t.duplicates())
                + String.format(
                        Locale.ROOT,
                        "  %.1f per interruption (%d interruptions, at most %d events in flight each)",
                        t.interruptions() == 0 ? 0.0 : (double) t.duplicates() / t.interruptions(),
                        t.interruptions(),
                        t.interruptions() == 0 ? 0 : t.duplicatesAllowed() / t.interruptions()));
        lines.add(number("effects", t.effectsApplied())
                + number("expected", t.effectsExpected())
                + number("repeated", t.effectsDoubled())
                + number("missing", t.effectsMissing()));
        lines.add(number("sagas", outcome.result().sagas().started())
                + number("completed", outcome.result().sagas().completed())
                + number("rolled back", outcome.result().sagas().rolledBack())
                + number("in doubt", outcome.result().sagas().inDoubt())
                + number("late", outcome.result().sagas().stale()));
        lines.add(String.format(Locale.ROOT, "  drained in %.1f s", t.drainSeconds()));
        lines.add("");
        outcome.result().findings().forEach(finding -> lines.addAll(lines(finding)));
        lines.add("");
        lines.add(verdict(outcome));
        return String.join("\n", lines);
    }

    private static String verdict(RunResult outcome) {
        if (outcome.result().clean()) {
            return "All checked invariants hold.";
        }
        String violated = outcome.result().findings().stream()
                .filter(Finding::violated)
                .map(finding -> finding.invariant().toString())
                .collect(Collectors.joining(", "));
        return "VIOLATED: " + violated + ". Histories and logs are in " + outcome.folder() + ". Repeat with "
                + outcome.command();
    }

    private static List<String> lines(Finding finding) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "  %-12s %s (%s): %s",
                finding.state().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                finding.invariant().title(),
                finding.invariant().name(),
                finding.summary()));
        finding.violations().stream().limit(SHOWN).forEach(line -> lines.add("        " + line));
        if (finding.violations().size() > SHOWN) {
            lines.add("        and " + (finding.violations().size() - SHOWN) + " more, in report.json");
        }
        return lines;
    }

    private static String number(String name, long value) {
        return String.format(Locale.ROOT, "  %-13s%,9d", name, value);
    }

    private static String counts(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}

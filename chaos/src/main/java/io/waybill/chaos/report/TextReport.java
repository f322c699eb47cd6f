package io.waybill.chaos.report;

import io.waybill.chaos.check.Finding;
import io.waybill.chaos.check.Tally;
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
        Tally t = outcome.judgement().tally();
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("Engine " + outcome.engine() + ", seed " + outcome.seed() + ", "
                + outcome.length().toSeconds() + " s, " + outcome.happened().size() + " faults");
        lines.add("  faults     " + counts(outcome.byFault()));
        outcome.happened().stream()
                .filter(fault -> !fault.trouble().isEmpty())
                .forEach(fault -> lines.add("  trouble    " + fault.planned() + ": " + fault.trouble()));
        if (!outcome.restarts().isEmpty()) {
            lines.add("  gave up    " + counts(outcome.restarts()) + " (started again; see logs)");
        }
        lines.add(number("attempted", t.attempted())
                + number("acknowledged", t.acknowledged())
                + number("failed", t.failed())
                + number("unknown", t.unknown())
                + " (" + t.unknownKept() + " of them kept)");
        lines.add(number("committed", t.committed())
                + number("delivered", t.delivered())
                + number("records", t.records())
                + number("dead letters", t.deadLetters()));
        lines.add(number("lost", t.lost())
                + number("ghost", t.ghosts())
                + number("corrupt", t.corrupt())
                + number("misordered", t.misordered())
                + number("unkept", t.unkept()));
        lines.add(number("duplicated", t.duplicates())
                + String.format(
                        Locale.ROOT,
                        "  %.1f for each of %d interruptions, %d in flight at most",
                        t.windows() == 0 ? 0.0 : (double) t.duplicates() / t.windows(),
                        t.windows(),
                        t.windows() == 0 ? 0 : t.duplicatesAllowed() / t.windows()));
        lines.add(number("effects", t.effectsApplied())
                + number("expected", t.effectsExpected())
                + number("doubled", t.effectsDoubled())
                + number("missing", t.effectsMissing()));
        lines.add(String.format(Locale.ROOT, "  drained in %.1f s", t.drainSeconds()));
        lines.add("");
        outcome.judgement().findings().forEach(finding -> lines.addAll(lines(finding)));
        lines.add("");
        lines.add(verdict(outcome));
        return String.join("\n", lines);
    }

    private static String verdict(RunResult outcome) {
        if (outcome.judgement().clean()) {
            return "Every invariant that was judged holds.";
        }
        String broken = outcome.judgement().findings().stream()
                .filter(Finding::broken)
                .map(finding -> finding.invariant().name())
                .collect(Collectors.joining(", "));
        return "BROKEN: " + broken + ". Histories and logs are kept in " + outcome.folder() + "; replay with "
                + outcome.command();
    }

    private static List<String> lines(Finding finding) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "  %-4s%-12s%s (%s)",
                finding.invariant(),
                finding.state().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                finding.invariant().title(),
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

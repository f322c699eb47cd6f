package io.waybill.chaos.report;

import io.waybill.chaos.check.Finding;
import io.waybill.chaos.check.RunCounts;
import io.waybill.chaos.schedule.InjectedFault;
import io.waybill.processes.SagaWorkload;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The report as a self-contained page without scripts, external fonts or images. */
public final class HtmlReport {
    private static final int SHOWN = 50;

    private final StringBuilder page = new StringBuilder();

    private HtmlReport() {}

    public static String of(List<RunResult> outcomes) {
        HtmlReport report = new HtmlReport();
        boolean clean = outcomes.stream().allMatch(outcome -> outcome.result().clean());
        report.page
                .append("<!doctype html><html lang='en'><head><meta charset='utf-8'>")
                .append("<meta name='viewport' content='width=device-width, initial-scale=1'>")
                .append("<title>Waybill chaos</title><style>")
                .append(style())
                .append("</style></head><body><main><h1>Waybill chaos: <span class='")
                .append(clean ? "good'>all invariants hold" : "bad'>an invariant is violated")
                .append("</span></h1>");
        outcomes.forEach(report::run);
        return report.page.append("</main></body></html>\n").toString();
    }

    private void run(RunResult outcome) {
        page.append("<section><h2>Engine ")
                .append(outcome.engine())
                .append("</h2><p class='soft'>")
                .append(Html.escape(String.format(
                        Locale.ROOT,
                        "%s · %d s · %d faults · %d relays, %d writers, %d consumers · seed %d",
                        outcome.at(),
                        outcome.length().toSeconds(),
                        outcome.faults().size(),
                        outcome.size().relays(),
                        outcome.size().writers(),
                        outcome.size().consumers(),
                        outcome.seed())))
                .append("</p><p><code>")
                .append(Html.escape(outcome.command()))
                .append("</code></p>");
        numbers(outcome.result().counts(), outcome.result().sagas());
        page.append("<h3>Faults and their effects</h3>").append(Timeline.of(outcome));
        findings(outcome.result().findings());
        faults(outcome);
        page.append("</section>");
    }

    private void numbers(RunCounts t, SagaWorkload.Verdict sagas) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        numbers.put("attempted", (long) t.attempted());
        numbers.put("acknowledged", (long) t.acknowledged());
        numbers.put("failed", (long) t.failed());
        numbers.put("unknown, " + t.unknownKept() + " committed", (long) t.unknown());
        numbers.put("committed", (long) t.committed());
        numbers.put("delivered", (long) t.delivered());
        numbers.put("lost", (long) t.lost());
        numbers.put("ghost", (long) t.ghosts());
        numbers.put("corrupt", (long) t.corrupt());
        numbers.put("misordered", (long) t.misordered());
        numbers.put("duplicated", (long) t.duplicates());
        numbers.put("interruptions", (long) t.interruptions());
        numbers.put("dead letters", (long) t.deadLetters());
        numbers.put("effects", t.effectsApplied());
        numbers.put("effects expected", (long) t.effectsExpected());
        numbers.put("effects repeated", (long) t.effectsDoubled());
        numbers.put("sagas", (long) sagas.started());
        numbers.put("sagas completed", (long) sagas.completed());
        numbers.put("sagas rolled back", (long) sagas.rolledBack());
        numbers.put("saga steps in doubt", (long) sagas.inDoubt());
        numbers.put("seconds to drain", Math.round(t.drainSeconds()));
        page.append("<div class='numbers'>");
        numbers.forEach((name, value) -> page.append(
                String.format(Locale.ROOT, "<div><b>%,d</b><span>%s</span></div>", value, Html.escape(name))));
        page.append("</div>");
    }

    private void findings(List<Finding> findings) {
        page.append("<h3>Invariants</h3><table><tr><th>state</th><th>invariant</th><th>found</th></tr>");
        for (Finding finding : findings) {
            String style = switch (finding.state()) {
                case HOLDS -> "good";
                case VIOLATED -> "bad";
                case WAIVED, NOT_CHECKED -> "wait";
            };
            page.append("<tr><td class='")
                    .append(style)
                    .append("'>")
                    .append(finding.state().name().toLowerCase(Locale.ROOT).replace('_', ' '))
                    .append("</td><td>")
                    .append(Html.escape(finding.invariant().title()))
                    .append(" (")
                    .append(finding.invariant().name())
                    .append(")")
                    .append("</td><td>")
                    .append(Html.escape(finding.summary()));
            if (!finding.violations().isEmpty()) {
                page.append("<ul>");
                finding.violations().stream()
                        .limit(SHOWN)
                        .forEach(line ->
                                page.append("<li>").append(Html.escape(line)).append("</li>"));
                page.append("</ul>");
            }
            page.append("</td></tr>");
        }
        page.append("</table>");
    }

    private void faults(RunResult outcome) {
        page.append("<h3>Faults</h3><table><tr><th>fault</th><th class='n'>times</th><th>description</th></tr>");
        Map<String, String> descriptions = new TreeMap<>();
        outcome.faults()
                .forEach(faults -> descriptions.put(
                        faults.planned().fault().name(),
                        faults.planned().fault().description()));
        outcome.byFault()
                .forEach((name, times) -> page.append(String.format(
                        Locale.ROOT,
                        "<tr><td>%s</td><td class='n'>%d</td><td>%s</td></tr>",
                        name,
                        times,
                        Html.escape(descriptions.getOrDefault(name, "")))));
        page.append("</table><details><summary>all faults</summary><table>"
                + "<tr><th class='n'>began</th><th class='n'>ended</th><th>fault</th><th></th></tr>");
        for (InjectedFault faults : outcome.faults()) {
            page.append(String.format(
                    Locale.ROOT,
                    "<tr><td class='n'>%.1f s</td><td class='n'>%.1f s</td><td>%s</td><td>%s</td></tr>",
                    faults.begin().toMillis() / 1_000.0,
                    faults.end().toMillis() / 1_000.0,
                    faults.planned().fault().name(),
                    Html.escape(faults.planned().injection().parameters() + " " + faults.problem())));
        }
        page.append("</table></details>");
    }

    private static String style() {
        try (InputStream style = HtmlReport.class.getResourceAsStream("report.css")) {
            if (style == null) {
                throw new IllegalStateException("report.css is missing from the jar");
            }
            return new String(style.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

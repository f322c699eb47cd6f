package io.waybill.chaos.report;

import io.waybill.chaos.check.Sample;
import io.waybill.chaos.fault.Target;
import io.waybill.chaos.schedule.InjectedFault;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** A chart of the run: the faults above, one row for each target; deliveries and backlog below. */
final class Timeline {
    private static final int LEFT = 112;
    private static final int RIGHT = 60;
    private static final int WIDTH = 1_120;
    private static final int LANE = 22;
    private static final int TOP = 8;
    private static final int CURVES = 170;
    private static final int GAP = 26;

    private final RunResult outcome;
    private final double seconds;
    private final List<Target> lanes;
    private final StringBuilder svg = new StringBuilder();

    private Timeline(RunResult outcome) {
        this.outcome = outcome;
        double samples =
                outcome.samples().stream().mapToDouble(Sample::seconds).max().orElse(1);
        this.seconds = Math.max(samples, (double) outcome.length().toSeconds());
        this.lanes = Arrays.stream(Target.values())
                .filter(target -> outcome.faults().stream().anyMatch(fault -> lane(fault) == target))
                .toList();
    }

    static String of(RunResult outcome) {
        return new Timeline(outcome).draw();
    }

    /** A fault with several targets is drawn in the row of the first. */
    private static Target lane(InjectedFault fault) {
        return fault.planned().fault().targets().stream().sorted().findFirst().orElseThrow();
    }

    private String draw() {
        int bottom = TOP + lanes.size() * LANE;
        int height = bottom + GAP + CURVES + 24;
        svg.append("<svg viewBox='0 0 ")
                .append(WIDTH)
                .append(' ')
                .append(height)
                .append("' role='img' aria-label='Timeline of faults, deliveries and backlog'>");
        grid(height - 24);
        for (int i = 0; i < lanes.size(); i++) {
            text(
                    0,
                    TOP + i * LANE + 15,
                    "",
                    lanes.get(i).name().toLowerCase(Locale.ROOT).replace('_', ' '));
        }
        outcome.faults().forEach(this::bar);
        curve(bottom + GAP, "one", "delivered/s", Timeline::rates, false);
        curve(bottom + GAP, "two", "backlog", Timeline::backlogs, true);
        return svg.append("</svg>").toString();
    }

    private void grid(int bottom) {
        double step = nice(seconds / 10);
        for (double t = 0; t <= seconds; t += step) {
            svg.append(format("<line class='grid' x1='%.1f' y1='%d' x2='%.1f' y2='%d'/>", x(t), TOP, x(t), bottom));
            text(x(t) - 8, bottom + 16, "", t < 120 ? format("%.0f s", t) : format("%.1f min", t / 60));
        }
    }

    private void bar(InjectedFault fault) {
        double begin = fault.begin().toMillis() / 1_000.0;
        double end = fault.end().toMillis() / 1_000.0;
        int top = TOP + lanes.indexOf(lane(fault)) * LANE + 3;
        double width = Math.max(2, x(end) - x(begin));
        String name = fault.planned().fault().name();
        int hue = Math.floorMod(name.hashCode() * 47, 360);
        svg.append(format(
                "<rect class='bar' x='%.1f' y='%d' width='%.1f' height='%d' rx='3' fill='hsl(%d 45%% 45%%)'><title>%s</title></rect>",
                x(begin),
                top,
                width,
                LANE - 6,
                hue,
                Html.escape(fault.planned() + format(" (%.1f to %.1f s)", begin, end) + " " + fault.problem())));
        if (width > name.length() * 6) {
            text(x(begin) + 4, top + 12, "name", name);
        }
    }

    private void curve(int top, String style, String name, ToSeries series, boolean right) {
        double[] values = series.of(outcome.samples());
        double most =
                Math.max(1, Arrays.stream(values).filter(v -> v >= 0).max().orElse(1));
        StringBuilder path = new StringBuilder();
        boolean gap = true;
        for (int i = 0; i < values.length; i++) {
            if (values[i] < 0) {
                gap = true; // no sample
                continue;
            }
            path.append(format(
                    "%s%.1f %.1f",
                    gap ? "M" : "L", x(outcome.samples().get(i).seconds()), top + CURVES * (1 - values[i] / most)));
            gap = false;
        }
        svg.append("<path class='").append(style).append("' d='").append(path).append("'/>");
        double at = right ? WIDTH - RIGHT + 6 : LEFT - 48;
        text(at, top + 4, style + "Text", format("%,.0f", most));
        text(at, top + CURVES, style + "Text", "0");
        text(right ? WIDTH - RIGHT + 6 : 0, top + CURVES / 2.0, style + "Text", name);
    }

    private interface ToSeries {
        double[] of(List<Sample> samples);
    }

    private static double[] backlogs(List<Sample> samples) {
        return values(samples, Sample::backlog);
    }

    private static double[] values(List<Sample> samples, ToDoubleFunction<Sample> value) {
        return samples.stream().mapToDouble(value).toArray();
    }

    /** The rates between consecutive answers of the broker. */
    private static double[] rates(List<Sample> samples) {
        double[] rates = new double[samples.size()];
        Arrays.fill(rates, -1);
        for (int i = 1; i < rates.length; i++) {
            Sample now = samples.get(i);
            Sample before = samples.get(i - 1);
            if (now.records() >= 0 && before.records() >= 0 && now.seconds() > before.seconds()) {
                rates[i] = (now.records() - before.records()) / (now.seconds() - before.seconds());
            }
        }
        return rates;
    }

    private void text(double x, double y, String style, String text) {
        svg.append(format("<text x='%.1f' y='%.1f' class='%s'>%s</text>", x, y, style, Html.escape(text)));
    }

    private double x(double time) {
        return LEFT + (WIDTH - LEFT - RIGHT) * time / seconds;
    }

    private static double nice(double step) {
        for (double size : new double[] {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600}) {
            if (size >= step) {
                return size;
            }
        }
        return step;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}

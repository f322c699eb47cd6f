package io.waybill.bench.report;

import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Draws the main figure of each scenario as a bar chart: Waybill in colour, others in grey, for light and dark pages. */
public final class Chart {
    private static final List<Figure> MAIN = List.of(Figure.RATE, Figure.ARRIVED, Figure.P99, Figure.BUSY);
    private static final int WIDTH = 900;
    private static final int LABELS = 250;
    private static final int VALUES = 200;
    private static final int LINE = 22;
    private static final int MARGIN = 20;

    private final StringBuilder svg = new StringBuilder();
    private int y = MARGIN;

    private Chart() {}

    public static void write(Path file, List<Section> sections, List<Run> runs) throws IOException {
        Chart chart = new Chart();
        for (Section section : sections) {
            for (Figure figure : MAIN) {
                List<Row> rows = Summary.rows(section, runs).stream()
                        .filter(row -> row.figures().containsKey(figure))
                        .toList();
                if (!rows.isEmpty()) {
                    chart.panel(section, figure, rows);
                }
            }
        }
        Files.writeString(file, chart.document());
    }

    private void panel(Section section, Figure figure, List<Row> rows) {
        y += LINE;
        text(MARGIN, y, "start", "heading", section.scenario() + ", " + title(figure));
        y += LINE - 4;
        text(MARGIN, y, "start", "note", section.description());
        y += 10;
        double most = rows.stream().mapToDouble(row -> value(row, figure)).max().orElse(1);
        for (Row row : rows) {
            bar(row, figure, most);
        }
        y += 14;
    }

    private static String title(Figure figure) {
        return switch (figure) {
            case P99 -> "milliseconds: median, and 99 of 100";
            case BUSY -> "CPU milliseconds per second";
            default -> figure.label();
        };
    }

    private void bar(Row row, Figure figure, double most) {
        double scale = (WIDTH - LABELS - VALUES) / most;
        double value = value(row, figure);
        boolean ours =
                row.contestant().startsWith("journal") || row.contestant().startsWith("queue");
        String label = row.contestant() + (row.variant().isEmpty() ? "" : ", " + row.variant());
        text(LABELS - 8, y + 15, "end", "label", label);
        rectangle(value * scale, ours ? "ours" : "other");
        String note = figure.format(value);
        if (figure == Figure.P99) {
            double median = value(row, Figure.P50);
            rectangle(median * scale, "median");
            note = Figure.P50.format(median) + " / " + note;
        }
        Optional<String> ratio = row.ratios().entrySet().stream()
                .filter(found -> found.getKey().startsWith("× "))
                .reduce((first, last) -> last)
                .filter(found -> !found.getKey().equals("× " + row.contestant()))
                .map(found -> String.format("  (%.2f %s)", found.getValue(), found.getKey()));
        text(LABELS + value * scale + 6, y + 15, "start", "label", note + ratio.orElse(""));
        y += LINE;
    }

    private static double value(Row row, Figure figure) {
        return row.figures().getOrDefault(figure, 0.0);
    }

    private void rectangle(double width, String style) {
        svg.append(String.format(
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>%n",
                LABELS, y + 3, Math.max(1, width), LINE - 6, style));
    }

    private void text(double x, int baseline, String anchor, String style, String words) {
        String safe = words.replace("&", "&amp;").replace("<", "&lt;");
        svg.append(String.format(
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\" class=\"%s\">%s</text>%n",
                x, baseline, anchor, style, safe));
    }

    private String document() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">",
                WIDTH, y + MARGIN, WIDTH, y + MARGIN));
        lines.add(
                "<style>text { font-family: system-ui, sans-serif; font-size: 13px; fill: #222 }"
                        + " .heading { font-size: 16px; font-weight: 600 } .note { font-size: 12px; fill: #666 }"
                        + " .ours { fill: #2f7d5b } .other { fill: #a7adb5 } .median { fill: #000; fill-opacity: 0.3 }</style>");
        lines.add("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
        lines.add(svg.append("</svg>").toString());
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }
}

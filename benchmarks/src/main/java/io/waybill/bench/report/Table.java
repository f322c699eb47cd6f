package io.waybill.bench.report;

import io.waybill.bench.measure.Figure;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Prints a section with aligned columns. Rows with different columns become separate tables. */
public final class Table {
    private Table() {}

    public static void print(Section section, List<Row> rows, PrintStream out) {
        out.println();
        out.println(section.scenario() + ": " + section.description());
        List<Row> rest = new ArrayList<>(rows);
        while (!rest.isEmpty()) {
            Set<Figure> kind = rest.get(0).figures().keySet();
            List<Row> alike = rest.stream()
                    .filter(row -> row.figures().isEmpty()
                            || !Collections.disjoint(row.figures().keySet(), kind))
                    .toList();
            rest.removeAll(alike);
            print(alike, out);
        }
    }

    private static void print(List<Row> rows, PrintStream out) {
        Set<Figure> figures = new TreeSet<>();
        Set<String> ratios = new LinkedHashSet<>();
        for (Row row : rows) {
            figures.addAll(row.figures().keySet());
            ratios.addAll(row.ratios().keySet());
        }
        List<List<String>> lines = new ArrayList<>();
        List<String> heading = new ArrayList<>(List.of("", ""));
        ratios.forEach(heading::add);
        figures.forEach(figure -> heading.add(figure.label()));
        heading.add("check");
        lines.add(heading);
        for (Row row : rows) {
            List<String> line = new ArrayList<>(List.of(row.contestant(), row.variant()));
            for (String ratio : ratios) {
                Double value = row.ratios().get(ratio);
                line.add(value == null ? "" : String.format("%.2f", value));
            }
            for (Figure figure : figures) {
                Double value = row.figures().get(figure);
                line.add(value == null ? "" : figure.format(value));
            }
            line.add(row.check());
            lines.add(line);
        }
        align(lines, out);
    }

    private static void align(List<List<String>> lines, PrintStream out) {
        int columns = lines.get(0).size();
        int[] widths = new int[columns];
        for (List<String> line : lines) {
            for (int column = 0; column < columns; column++) {
                widths[column] = Math.max(widths[column], line.get(column).length());
            }
        }
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                boolean left = column < 2 || column == columns - 1;
                if (widths[column] > 0) {
                    text.append("  ")
                            .append(String.format("%" + (left ? "-" : "") + widths[column] + "s", line.get(column)));
                }
            }
            out.println(text.toString().stripTrailing());
        }
    }
}

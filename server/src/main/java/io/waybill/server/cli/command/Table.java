package io.waybill.server.cli.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table with aligned columns. The last column is not shortened unless {@link #cutTo} is called. */
public final class Table {
    private static final int SHORTEST = 60;

    private final List<String> head;
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... head) {
        this.head = List.of(head);
    }

    public void row(String... cells) {
        rows.add(Arrays.stream(cells).map(TerminalText::escape).toList());
    }

    /** Shortens the last column so that lines fit into the width, but not below a readable minimum. */
    public Table cutTo(int width) {
        int last = head.size() - 1;
        int others = 0;
        for (int i = 0; i < last; i++) {
            others += width(i) + 2;
        }
        int room = Math.max(SHORTEST, width - others);
        rows.replaceAll(row -> {
            List<String> cut = new ArrayList<>(row);
            cut.set(last, TerminalText.cut(row.get(last), room));
            return cut;
        });
        return this;
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    public List<String> lines(boolean colours) {
        List<String> lines = new ArrayList<>();
        String title = format(head);
        lines.add(colours ? "\u001b[1m" + title + "\u001b[0m" : title);
        rows.forEach(row -> lines.add(format(row)));
        return lines;
    }

    private String format(List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            line.append(cells.get(i));
            if (i + 1 < cells.size()) {
                line.append(" ".repeat(width(i) - length(cells.get(i)) + 2));
            }
        }
        return line.toString().stripTrailing();
    }

    private int width(int column) {
        int widest = length(head.get(column));
        for (List<String> row : rows) {
            widest = Math.max(widest, length(row.get(column)));
        }
        return widest;
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}

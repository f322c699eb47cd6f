package io.waybill.server.http.api;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lines of a table for spreadsheets. */
final class Csv {
    /** A spreadsheet interprets a cell that begins with one of these characters as a formula, and executes it. */
    private static final String FORMULA = "=+-@\t\r\n";

    private Csv() {}

    static String line(List<@Nullable String> cells) {
        return cells.stream().map(Csv::cell).collect(Collectors.joining(",")) + "\r\n";
    }

    private static String cell(@Nullable String value) {
        if (value == null || value.isEmpty()) {
            return "";
        }
        String safe = FORMULA.indexOf(value.charAt(0)) >= 0 ? "'" + value : value;
        return "\"" + safe.replace("\"", "\"\"") + "\"";
    }
}

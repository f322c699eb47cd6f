package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.jdbc.layout.LayoutFinding.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** Looks whether a table can be served as its layout says, what that would cost, and what would mend it. Changes nothing. */
public final class LayoutCheck {
    private static final Set<String> JSON = Set.of("json", "jsonb", "text", "character varying");

    private static final Map<String, String> LOST = Map.of(
            "attempts", "how often a row was tried is seen in `waybill events` alone",
            "error", "why a row failed is seen in `waybill events` and `waybill dead-letters` alone",
            "next_attempt_at", "when a row is tried again is seen in `waybill events` alone");

    private final Layout layout;
    private final List<LayoutFinding> findings = new ArrayList<>();

    private LayoutCheck(Layout layout) {
        this.layout = layout;
    }

    public static List<LayoutFinding> of(DataSource dataSource, Layout layout) {
        LayoutCheck check = new LayoutCheck(layout);
        return new Transactions(dataSource).transaction("check " + layout.table(), connection -> {
            check.findings.clear();
            check.examine(connection);
            return check.findings;
        });
    }

    private void examine(Connection connection) throws SQLException {
        Optional<ServedTable> found = ServedTable.find(connection, layout);
        if (found.isEmpty()) {
            refuse(
                    "table",
                    "There is no table " + layout.table() + ", or it cannot be seen",
                    "Correct the line `table` of the layout, or the database.");
            return;
        }
        ServedTable table = found.get();
        TableCatalog catalog = new TableCatalog(connection, layout);
        fine("table", layout.table() + ", " + catalog.size());
        columns(table);
        types(table);
        if (refused()) {
            return;
        }
        access(catalog, table);
        if (refused()) {
            return;
        }
        TrialRun trial = new TrialRun(connection, new LayoutSql(table));
        trial.problem()
                .ifPresentOrElse(
                        problem ->
                                refuse("statements", problem, "Correct the layout, or the table; nothing was changed."),
                        () -> fine("statements", trial.tried()));
        if (!refused()) {
            order(table);
            indexes(catalog, table, trial);
        }
    }

    private void columns(ServedTable table) {
        for (String column : table.missing()) {
            boolean sequence = column.equals("waybill_seq");
            refuse(
                    "column " + column,
                    "The table has no column " + column
                            + (sequence ? ", and without it nobody knows in which order its rows were written" : ""),
                    sequence ? addSequence() : "Correct the layout: `waybill layout show " + layout.name() + "`.");
        }
        for (RowTransition step : RowTransition.values()) {
            layout.below(step.label()).forEach((column, value) -> {
                if (!table.has(column)) {
                    String lost = LOST.entrySet().stream()
                            .filter(entry -> value.text().contains(":" + entry.getKey()))
                            .map(Map.Entry::getValue)
                            .findFirst()
                            .orElse("this is not written down on " + step.label());
                    if (findings.stream().noneMatch(f -> f.what().equals("column " + column))) {
                        costs(
                                "column " + column,
                                "The table has no column " + column + ": " + lost,
                                "Nothing, or add the column.");
                    }
                } else if (table.column(column)
                        .filter(ServedTable.Column::generated)
                        .isPresent()) {
                    refuse(
                            "column " + column,
                            "Only the database may write " + column + " (it is generated)",
                            "Remove line " + value.line() + " of the layout.");
                }
            });
        }
    }

    private void types(ServedTable table) {
        for (String key : List.of("payload", "headers")) {
            table.part(key)
                    .filter(LayoutEntry::isColumn)
                    .ifPresent(value -> table.column(value.text())
                            .filter(column -> !JSON.contains(column.type()))
                            .ifPresent(column -> refuse(
                                    "column " + value.text(),
                                    key + " is of type " + column.type() + ", not JSON or text",
                                    "Name an expression that makes JSON of it, for instance `" + key
                                            + " = (convert_from(" + value.text() + ", 'UTF8'))` for bytea.")));
        }
        table.part("created")
                .filter(LayoutEntry::isColumn)
                .ifPresent(value -> table.column(value.text())
                        .filter(column -> !column.type().startsWith("timestamp"))
                        .ifPresent(column -> refuse(
                                "column " + value.text(),
                                "created is of type " + column.type() + ", not a time",
                                "Name an expression that makes a timestamptz of it, for instance `created = (to_timestamp("
                                        + value.text() + "))`.")));
        if (!table.sameIds() && !refused()) {
            fine(
                    "ids",
                    "of type " + table.idType() + ": an event's id is made from its row's, always the same for a row;"
                            + " one small row of Waybill's remembers which");
        }
    }

    private void access(TableCatalog catalog, ServedTable table) throws SQLException {
        List<String> missing = catalog.missingPrivileges(table);
        if (!missing.isEmpty()) {
            refuse(
                    "privileges",
                    "User " + catalog.user() + " may not " + String.join(" or ", missing) + " rows",
                    "GRANT " + String.join(", ", missing) + " ON " + layout.table() + " TO " + catalog.quotedUser()
                            + ";");
        }
        List<String> own = catalog.missingOwnPrivileges();
        if (!own.isEmpty()) {
            refuse(
                    "own tables",
                    "User " + catalog.user() + " may not do with Waybill's tables all that a relay must",
                    String.join(" ", own));
        }
        if (catalog.hidesRows()) {
            refuse(
                    "row-level security",
                    "Policies hide rows from user " + catalog.user() + ": what they hide would never be published",
                    "ALTER ROLE " + catalog.quotedUser()
                            + " BYPASSRLS;  -- or a policy of its own for this role: USING (true)");
        } else if (missing.isEmpty()) {
            fine("access", "user " + catalog.user() + " sees all rows and may change them");
        }
    }

    /** A time is only as good as what sets it. */
    private void order(ServedTable table) {
        String first = table.order().get(0);
        ServedTable.Column column = table.column(first).orElseThrow();
        String fallback = column.fallback() == null ? "" : column.fallback();
        if (!column.type().startsWith("timestamp")) {
            fine("order", "by " + String.join(", ", table.order()));
        } else if (fallback.matches("(?i).*(\\bnow\\(\\)|current_timestamp|transaction_timestamp|localtimestamp).*")) {
            costs(
                    "order",
                    first
                            + " is by default when its transaction began, not when the row was written: of two events of one key"
                            + " that wait at the same time, the later may go out first, and events of one transaction are mixed",
                    addSequence());
        } else {
            fine(
                    "order",
                    "by " + String.join(", ", table.order()) + ", as good as the clocks of those who set " + first
                            + "; exact with a column waybill_seq: " + addSequence());
        }
    }

    private String addSequence() {
        return "ALTER TABLE " + layout.table()
                + " ADD COLUMN waybill_seq bigint GENERATED ALWAYS AS IDENTITY (CACHE 1);"
                + "  -- writers need not know it; rewrites the table, so do it when that is small";
    }

    private void indexes(TableCatalog catalog, ServedTable table, TrialRun trial) throws SQLException {
        String waiting = layout.required("waiting").text();
        String wanted = "CREATE INDEX CONCURRENTLY ON " + layout.table() + " (" + String.join(", ", table.order()) + ")"
                + (waiting.equals("true") ? "" : " WHERE " + waiting) + ";";
        switch (trial.plan(catalog, waiting.equals("true"))) {
            case SCANS ->
                costs(
                        "index of waiting rows",
                        "There is none: every look for new rows, many times a second, reads the whole table (now "
                                + catalog.size() + ")",
                        wanted);
            case SORTS ->
                costs(
                        "index of waiting rows",
                        "It finds what waits, not in order: every intake sorts all that waits, which a large backlog makes slow",
                        wanted);
            case SERVES -> fine("index of waiting rows", "there is one, in order");
        }
        String id = layout.required("id").text();
        switch (catalog.index(id)) {
            case NONE ->
                costs(
                        "index of " + id,
                        "There is none: every batch that is settled reads the whole table (now " + catalog.size() + ")",
                        "CREATE UNIQUE INDEX CONCURRENTLY ON " + layout.table() + " (" + id + ");");
            case NOT_UNIQUE ->
                costs(
                        "index of " + id,
                        "It is not unique: of two rows with one id, only the first would be published",
                        "CREATE UNIQUE INDEX CONCURRENTLY ON " + layout.table() + " (" + id + ");");
            case UNIQUE -> fine("index of " + id, "there is one, unique");
        }
    }

    private boolean refused() {
        return findings.stream().anyMatch(finding -> finding.level() == Level.REFUSED);
    }

    private void fine(String what, String detail) {
        findings.add(new LayoutFinding(Level.FINE, what, detail, ""));
    }

    private void costs(String what, String detail, String remedy) {
        findings.add(new LayoutFinding(Level.COSTS, what, detail + ".", remedy));
    }

    private void refuse(String what, String detail, String remedy) {
        findings.add(new LayoutFinding(Level.REFUSED, what, detail + ".", remedy));
    }
}

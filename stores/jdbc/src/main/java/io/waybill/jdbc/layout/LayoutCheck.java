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

/** Checks whether a layout fits its table, what serving the table costs, and how to correct problems. Changes nothing. */
public final class LayoutCheck {
    private static final Set<String> JSON = Set.of("json", "jsonb", "text", "character varying");

    private static final Map<String, String> LOST_INFORMATION = Map.of(
            "attempts", "only `waybill events` shows how often a row was tried",
            "error", "only `waybill events` and `waybill dead-letters` show why a row failed",
            "next_attempt_at", "only `waybill events` shows when a row is retried");

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
                    "There is no table " + layout.table() + ", or this role cannot see it",
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
                                refuse("statements", problem, "Correct the layout or the table. Nothing was changed."),
                        () -> fine("statements", trial.tried()));
        if (!refused()) {
            archive(connection, table);
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
                            + (sequence ? ", and no other column gives the order of its rows" : ""),
                    sequence ? addSequence() : "Correct the layout: `waybill layout show " + layout.name() + "`.");
        }
        for (RowTransition step : RowTransition.values()) {
            layout.section(step.label()).forEach((column, value) -> {
                if (!table.has(column)) {
                    String lost = LOST_INFORMATION.entrySet().stream()
                            .filter(entry -> value.text().contains(":" + entry.getKey()))
                            .map(Map.Entry::getValue)
                            .findFirst()
                            .orElse("the layout's value for " + step.label() + " is not written");
                    if (findings.stream().noneMatch(f -> f.what().equals("column " + column))) {
                        costs(
                                "column " + column,
                                "The table has no column " + column + ": " + lost,
                                "Add the column, or ignore this.");
                    }
                } else if (table.column(column)
                        .filter(ServedTable.Column::generated)
                        .isPresent()) {
                    refuse(
                            "column " + column,
                            "Column " + column + " is generated, so only the database can write it",
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
                                    key + " has type " + column.type() + ", not JSON or text",
                                    "Use an expression that converts it to JSON, for example `" + key
                                            + " = (convert_from(" + value.text() + ", 'UTF8'))` for bytea.")));
        }
        table.part("created")
                .filter(LayoutEntry::isColumn)
                .ifPresent(value -> table.column(value.text())
                        .filter(column -> !column.type().startsWith("timestamp"))
                        .ifPresent(column -> refuse(
                                "column " + value.text(),
                                "created has type " + column.type() + ", not a timestamp",
                                "Use an expression that converts it to timestamptz, for example `created = (to_timestamp("
                                        + value.text() + "))`.")));
        if (!table.sameIds() && !refused()) {
            fine(
                    "ids",
                    "have type " + table.idType()
                            + ": the event id is derived from the row id, and a row always gets the same event"
                            + " id; outbox_sources maps one to the other");
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
                    "User " + catalog.user() + " lacks privileges on Waybill's own tables",
                    String.join(" ", own));
        }
        if (catalog.hidesRows()) {
            refuse(
                    "row-level security",
                    "Policies hide rows from user " + catalog.user() + ": hidden rows would never be published",
                    "ALTER ROLE " + catalog.quotedUser() + " BYPASSRLS;  -- or let the relay connect as another role");
        } else if (missing.isEmpty()) {
            fine("access", "user " + catalog.user() + " sees all rows and may change them");
        }
    }

    private void archive(Connection connection, ServedTable table) throws SQLException {
        if (layout.prunes() && table.part("finished-at").isEmpty()) {
            refuse(
                    "retention",
                    "The table lacks the column of finished-at, so the age of a finished row is not known",
                    "Add the column, or remove on-retention from the layout.");
        }
        if (layout.archive().isEmpty()) {
            return;
        }
        String archive = layout.archive().get();
        List<String> lost = RowRetention.lost(
                table, List.copyOf(ServedTable.columns(connection, archive).keySet()));
        if (lost.isEmpty()) {
            fine("archive", archive + " has all columns of the table");
        } else {
            refuse(
                    "archive",
                    archive + " does not exist, or lacks columns: " + String.join(", ", lost),
                    "CREATE TABLE " + archive + " (LIKE " + layout.table()
                            + ", archived_at timestamptz NOT NULL DEFAULT now());");
        }
    }

    /** A timestamp orders rows only as well as the clock or the default that sets it. */
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
                            + " defaults to the time when its transaction began, not when the row was written: of two waiting"
                            + " events of one key, the later may be published first, and events of one transaction in any order",
                    addSequence());
        } else {
            fine(
                    "order",
                    "by " + String.join(", ", table.order()) + ", as exact as the clocks of the writers that set "
                            + first + "; a column waybill_seq makes it exact: " + addSequence());
        }
    }

    private String addSequence() {
        return "ALTER TABLE " + layout.table()
                + " ADD COLUMN waybill_seq bigint GENERATED ALWAYS AS IDENTITY (CACHE 1);"
                + "  -- writers do not change; this rewrites the table, so do it while the table is small";
    }

    private void indexes(TableCatalog catalog, ServedTable table, TrialRun trial) throws SQLException {
        String waiting = layout.required("waiting").text();
        String wanted = "CREATE INDEX CONCURRENTLY ON " + layout.table() + " (" + String.join(", ", table.order()) + ")"
                + (waiting.equals("true") ? "" : " WHERE " + waiting) + ";";
        switch (trial.plan(catalog, waiting.equals("true"))) {
            case SCANS ->
                costs(
                        "index of waiting rows",
                        "There is none: every search for new rows, many times a second, reads the whole table (now "
                                + catalog.size() + ")",
                        wanted);
            case SORTS ->
                costs(
                        "index of waiting rows",
                        "It does not return rows in order: every import sorts all waiting rows, which is slow with a large backlog",
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
                        "It is not unique: of two rows with the same id, only the first would be published",
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

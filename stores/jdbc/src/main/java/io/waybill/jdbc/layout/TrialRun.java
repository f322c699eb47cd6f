package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs the statements of a layout on one waiting row and rolls everything back. Only a trial shows whether a constraint forbids a
 * state, and whether a published row would still wait.
 */
final class TrialRun {
    private static final Pattern SCAN =
            Pattern.compile("(Seq Scan|Bitmap Heap Scan|Index (?:Only )?Scan(?: Backward)? using (\\S+)) on ");

    private final Connection connection;
    private final LayoutSql layout;
    private boolean anyRow;

    /** How the database finds waiting rows: by scanning the table, by an index and a sort, or by an index in order. */
    enum Plan {
        SCANS,
        SORTS,
        SERVES
    }

    TrialRun(Connection connection, LayoutSql layout) {
        this.connection = connection;
        this.layout = layout;
    }

    /** Returns the first problem of the statements, if any. */
    Optional<String> problem() throws SQLException {
        for (String step : List.of("success", "dead")) {
            Savepoint before = connection.setSavepoint();
            try {
                String problem = attempt(step);
                if (problem != null) {
                    return Optional.of(problem);
                }
            } catch (SQLException e) {
                return Optional.of("PostgreSQL rejects a statement of the layout: "
                        + String.valueOf(e.getMessage())
                                .lines()
                                .findFirst()
                                .orElse("")
                                .replaceFirst("^ERROR: ", ""));
            } finally {
                connection.rollback(before);
            }
        }
        return Optional.empty();
    }

    String tried() {
        return anyRow
                ? "tried on one row, and rolled back"
                : "accepted by PostgreSQL; not tried on a row, because no row waits";
    }

    private @Nullable String attempt(String step) throws SQLException {
        Sql sql = Sql.on(connection);
        List<String> row = sql.query(layout.trialRow(), rows -> {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        });
        anyRow |= !row.isEmpty();
        sql.exists(layout.trialRead(), row);
        for (RowTransition before : List.of(RowTransition.CLAIM, RowTransition.FAILURE)) {
            String change = layout.trial(before);
            if (change != null) {
                sql.exists(change, row);
            }
        }
        String end = layout.trial(step.equals("success") ? RowTransition.SUCCESS : RowTransition.DEAD);
        long waiting = end == null
                ? row.size()
                : sql.query(
                        end,
                        counts -> {
                            counts.next();
                            return counts.getLong(2);
                        },
                        row);
        return waiting == 0 ? null : "A row still waits after " + step + " was written, and would be published forever";
    }

    /** @param all whether all rows of the table wait, so that any index in the right order is sufficient */
    Plan plan(TableCatalog catalog, boolean all) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            // PostgreSQL always scans a small table, but the check must show the plan for a large one.
            statement.execute("SET LOCAL enable_seqscan = off");
            try (ResultSet rows = statement.executeQuery("EXPLAIN " + layout.indexedScan())) {
                while (rows.next()) {
                    lines.add(rows.getString(1));
                }
            }
            statement.execute("SET LOCAL enable_seqscan = on");
        }
        String text = String.join("\n", lines);
        Matcher scan = SCAN.matcher(text);
        if (!scan.find() || scan.group(1).startsWith("Seq")) {
            return Plan.SCANS;
        }
        String index = scan.group(2);
        boolean narrow = all || text.contains("Index Cond:") || (index != null && catalog.partial(index));
        return !narrow ? Plan.SCANS : text.contains("Sort") ? Plan.SORTS : Plan.SERVES;
    }
}

package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.internal.admin.ViewQueries;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The frequent queries of the journal use its indexes whatever the statistics say: right after a bulk load or after ANALYZE,
 * with custom plans and with generic plans.
 */
class JournalPlanTest extends JournalLane {
    private static final int PAST = 40_000;

    /** Pages of 8 kB; the finished events fill more than a thousand. */
    private static final int FEW_PAGES = 200;

    private static final Pattern PAGES = Pattern.compile("Buffers: shared (?:hit=(\\d+))? ?(?:read=(\\d+))?");

    @ParameterizedTest
    @CsvSource({"false, custom", "false, generic", "true, custom", "true, generic"})
    void noQueryScansFinishedEvents(boolean analyzed, String kind) throws SQLException {
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'A', 'k' || n, 't', '1' FROM generate_series(1, " + PAST + ") n");
        backend.execute("UPDATE outbox_lanes SET owner = NULL");
        for (int lane = 0; lane < 8; lane++) {
            lease = store.acquire("all", lane, LEASE).orElseThrow();
            drain();
        }
        if (analyzed) {
            backend.execute("VACUUM ANALYZE");
        }
        append(key("a"), "1");
        String[] page = page("lane = " + LANE);
        String[] pages = page("true");

        try (Connection connection = begin();
                Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL plan_cache_mode = force_" + kind + "_plan");
            assertFewPages(explain(statement, JournalStore.READY, "'{0,1,2,3,5,6,7}'"));
            assertFewPages(explain(statement, JournalStore.READY, "'{4}'"));
            assertFewPages(explain(statement, WindowPage.pageSql(500), page));
            assertFewPages(explain(statement, WindowPage.pageSql(60), pages));
            assertFewPages(explain(statement, WindowPage.newWindowSql(500), "'{4}'", "'{4}'"));
            String others = "'{0,1,2,3,5,6,7}'";
            assertFewPages(explain(statement, WindowPage.newWindowSql(60), others, others));
            assertFewPages(explain(statement, OperatorQueries.VIEW.counts()));
            assertFewPages(explain(
                    statement, "SELECT lane, (" + OperatorQueries.VIEW.oldestInLane() + ") FROM outbox_lanes l"));
            for (ViewQueries.Source source : List.of(OperatorQueries.VIEW.waiting(), OperatorQueries.VIEW.claimed())) {
                assertFewPages(explain(statement, source.sql().formatted("", 100)));
            }
            explain(statement, JournalStore.PRUNE, "1000", "1", "1", "1000", "1000");
            connection.rollback();
        }
    }

    /** The parameters of a page of these lanes. */
    private String[] page(String lanes) {
        String[] page = {"lane", "pos", "done_seq", PAST + 1 + "", "pg_current_snapshot()", "done"};
        for (int i = 0; i < page.length; i++) {
            page[i] = "'"
                    + backend.query(
                            "SELECT array_agg(" + page[i] + " ORDER BY lane) FROM outbox_cursors WHERE " + lanes)
                    + "'";
        }
        return page;
    }

    /** A bulk load may stay open for hours; its rows are scanned once, not by every search for work. */
    @Test
    void uncommittedRowsAreScannedOnlyOnce() throws SQLException {
        try (Connection load = begin();
                Connection connection = begin();
                Statement statement = connection.createStatement()) {
            execute(
                    load,
                    "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                            + " SELECT 'A', 'k' || n, 't', '1' FROM generate_series(1, " + PAST + ") n");
            assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
            assertThat(claim(10)).isEmpty();
            assertThat(store.ready(List.of(LANE))).isEmpty();
            assertFewPages(explain(statement, JournalStore.READY, "'{4}'"));
            load.rollback();
        }
        append(key("a"), "1");
        assertThat(drain()).containsExactly("1");
    }

    /** PostgreSQL makes five custom plans and then compares their cost with a generic plan; it keeps the result of that comparison. */
    @Test
    void aSearchForWorkIsNotPlannedEachTime() throws SQLException {
        try (Connection connection = begin();
                Statement statement = connection.createStatement()) {
            statement.execute("PREPARE look AS " + JournalStore.READY.replace("?", "$1"));
            for (int i = 0; i < 10; i++) {
                statement.execute("EXECUTE look('{0,1,2,3,4,5,6,7}')");
            }
            try (ResultSet plans =
                    statement.executeQuery("SELECT generic_plans FROM pg_prepared_statements WHERE name = 'look'")) {
                plans.next();
                assertThat(plans.getInt(1)).isEqualTo(5);
            }
        }
    }

    /** Up to PostgreSQL 17, a plan without the disabled scan types costs so much that JIT would compile it at every claim. */
    @Test
    void aClaimIsNotCompiled() throws SQLException {
        try (Connection connection = begin();
                Statement statement = connection.createStatement()) {
            TransactionStart.lock(connection, lease);
            try (ResultSet jit = statement.executeQuery("SHOW jit")) {
                jit.next();
                assertThat(jit.getString(1)).isEqualTo("off");
            }
        }
    }

    /** Runs the statement and returns its plan. */
    private static String explain(Statement statement, String sql, String... values) throws SQLException {
        String numbered = sql;
        for (int i = 1; i <= values.length; i++) {
            numbered = numbered.replaceFirst("\\?", Matcher.quoteReplacement("$" + i));
        }
        statement.execute("PREPARE plan AS " + numbered);
        StringBuilder plan = new StringBuilder();
        String arguments = values.length == 0 ? "" : "(" + String.join(", ", Arrays.asList(values)) + ")";
        try (ResultSet line = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS) EXECUTE plan" + arguments)) {
            while (line.next()) {
                plan.append(line.getString(1)).append('\n');
            }
        }
        statement.execute("DEALLOCATE plan");
        assertThat(plan.toString()).doesNotContain("Seq Scan on outbox_events ");
        return plan.toString();
    }

    private static void assertFewPages(String plan) {
        Matcher first = PAGES.matcher(plan); // of the whole statement
        assertThat(first.find()).as(plan).isTrue();
        int pages = 0;
        for (int i = 1; i <= 2; i++) {
            pages += first.group(i) == null ? 0 : Integer.parseInt(first.group(i));
        }
        assertThat(pages).as(plan).isLessThan(FEW_PAGES);
    }
}

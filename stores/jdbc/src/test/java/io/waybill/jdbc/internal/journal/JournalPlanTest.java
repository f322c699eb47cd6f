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
 * What the journal asks all the time follows its indexes, whatever the planner knows: right after a bulk load or after
 * ANALYZE, with plans for the values at hand or for any.
 */
class JournalPlanTest extends JournalLane {
    private static final int PAST = 40_000;

    /** Pages of 8 kB; the past fills more than a thousand. */
    private static final int FEW_PAGES = 200;

    private static final Pattern PAGES = Pattern.compile("Buffers: shared (?:hit=(\\d+))? ?(?:read=(\\d+))?");

    @ParameterizedTest
    @CsvSource({"false, custom", "false, generic", "true, custom", "true, generic"})
    void nothingReadsThePast(boolean analyzed, String kind) throws SQLException {
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
            assertFewPages(explain(statement, WindowPage.newWindowSql(500), "'{4}'"));
            assertFewPages(explain(statement, WindowPage.newWindowSql(60), "'{0,1,2,3,5,6,7}'"));
            assertFewPages(explain(statement, JournalQueries.VIEW.counts()));
            assertFewPages(explain(
                    statement, "SELECT lane, (" + JournalQueries.VIEW.oldestInLane() + ") FROM outbox_lanes l"));
            for (ViewQueries.Source source : List.of(JournalQueries.VIEW.waiting(), JournalQueries.VIEW.claimed())) {
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

    /** A bulk load may stay open for hours; it is passed over once, not by every look for work. */
    @Test
    void whatIsNotCommittedYetIsNotLookedAtAgain() throws SQLException {
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

    /** PostgreSQL plans five times and then compares; what it does next it does for ever. */
    @Test
    void aLookForWorkIsNotPlannedEachTime() throws SQLException {
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

    /** Up to PostgreSQL 17, what is left of a plan's ways costs enough to be compiled at every claim. */
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

    /** Runs it. */
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

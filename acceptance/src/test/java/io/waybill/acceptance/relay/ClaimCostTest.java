package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.acceptance.Report;
import io.waybill.acceptance.Scenario;
import io.waybill.jdbc.Engine;
import io.waybill.processes.Outboxes;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The number of rows that a claim reads (R13), from PostgreSQL's statistics of the statements that were executed. This shows more than the plan of
 * a copied statement.
 */
class ClaimCostTest {
    private static final int MANY = 100_000;
    private static final int LANE = 3;

    @ParameterizedTest
    @EnumSource
    void theCostOfAClaimIsIndependentOfTheBacklog(Engine engine) throws Exception {
        String name = "R13 claims beside 100,000 published and waiting events";
        try (Scenario scenario = new Scenario(name, engine);
                // one connection, so that its statistics can be flushed
                HikariDataSource pool = Outboxes.pool(scenario.jdbcUrl(), 1)) {
            OutboxStore store = scenario.store(pool);
            awaitIndexBuilds(pool);
            // The test runs ANALYZE at the worst moment, so autovacuum must not run it.
            scenario.execute("ALTER TABLE outbox_events SET (autovacuum_enabled = false)");
            insert(scenario, MANY);
            for (int lane = 0; lane < Scenario.LANES; lane++) {
                Lease lease = store.acquire("past", lane, Duration.ofMinutes(5)).orElseThrow();
                while (work(store, lease, 5_000) > 0) {
                    // repeat until the lane is empty
                }
                store.release(lease);
            }
            Lease lease = store.acquire("relay", LANE, Duration.ofMinutes(5)).orElseThrow();
            insert(scenario, 400);
            work(store, lease, 500); // without statistics
            insert(scenario, 400);
            fail(store, lease);
            scenario.execute("ANALYZE outbox_events"); // while many events of the lane are due for a retry later
            work(store, lease, 500);
            work(store, lease, 500);

            long scans = scans(pool);
            long rows = rows(pool);
            int claimed = 0;
            for (int i = 0; i < 20; i++) {
                insert(scenario, 400);
                claimed += work(store, lease, 500);
            }
            insert(scenario, MANY);
            for (int i = 0; i < 5; i++) {
                claimed += work(store, lease, 500);
            }
            assertThat(claimed).isGreaterThan(3_000);
            assertThat(scans(pool)).as("scans of the whole table").isEqualTo(scans);
            long each = (rows(pool) - rows) / claimed;
            assertThat(each).as("rows read for each claimed event").isLessThan(10);
            Report.line(name, engine + ": " + each + " rows read for each of " + claimed, Duration.ZERO);
        }
    }

    private static void insert(Scenario scenario, int events) {
        scenario.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'Account', 'key-' || g % 1000, 't', '{}' FROM generate_series(1, " + events + ") g");
    }

    private static int work(OutboxStore store, Lease lease, int limit) {
        List<ClaimedEvent> claims = store.advance(lease, List.of(), limit);
        store.advance(
                lease,
                claims.stream()
                        .<PublishOutcome>map(PublishOutcome.Published::new)
                        .toList(),
                0);
        return claims.size();
    }

    private static void fail(OutboxStore store, Lease lease) {
        List<ClaimedEvent> claims = store.advance(lease, List.of(), 500);
        store.advance(
                lease,
                claims.stream()
                        .<PublishOutcome>map(claimed -> new PublishOutcome.Retry(claimed, Duration.ZERO, "no", true))
                        .toList(),
                0);
    }

    /** Waits for the statistics of the schema session: building an index counts as a scan, which is reported up to ten seconds later. */
    private static void awaitIndexBuilds(HikariDataSource pool) {
        await().atMost(Duration.ofMinutes(4))
                .until(() -> statistic(
                                pool,
                                "seq_scan - (SELECT count(*) FROM pg_index WHERE indrelid = 'outbox_events'::regclass)")
                        >= 0);
    }

    private static long scans(HikariDataSource pool) throws SQLException {
        return statistic(pool, "seq_scan");
    }

    private static long rows(HikariDataSource pool) throws SQLException {
        return statistic(pool, "seq_tup_read + idx_tup_fetch");
    }

    private static long statistic(HikariDataSource pool, String what) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
            statement.execute("SELECT pg_stat_clear_snapshot()");
            try (ResultSet row = statement.executeQuery(
                    "SELECT " + what + " FROM pg_stat_user_tables WHERE relname = 'outbox_events'")) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}

package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.jdbc.PostgresQueue;
import io.waybill.store.Claimed;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * R13: what a claim reads, by PostgreSQL's own statistics of the statements that really ran; more telling than the plan of
 * a copy of them.
 */
class ClaimCostTest {
    private static final int PUBLISHED = 200_000;

    @Test
    void aClaimReadsTheIndexOfWhatWaitsAndNeverTheTable() throws Exception {
        try (Scenario scenario = new Scenario("R13 claims beside 200,000 published events");
                // one connection, so that its statistics can be made visible at once
                HikariDataSource pool = Scenario.pool(scenario.jdbcUrl(), 1)) {
            scenario.execute(
                    "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload, state, processed_at)"
                            + " SELECT 'Account', 'key-' || g % 1000, 't', '{}', 'PUBLISHED', now()"
                            + " FROM generate_series(1, " + PUBLISHED + ") g");
            OutboxStore store = PostgresQueue.on(pool).store();
            Lease lease = store.acquire("relay", 3, Duration.ofMinutes(5)).orElseThrow();
            claimAndSettle(scenario, store, lease); // unknown statistics
            scenario.execute("ANALYZE outbox_events");
            long scans = statistic(pool, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'outbox_events'");
            long index = waiting(pool);
            long began = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                claimAndSettle(scenario, store, lease);
            }
            Duration each = Duration.ofNanos((System.nanoTime() - began) / 20);
            assertThat(statistic(pool, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'outbox_events'"))
                    .as("scans of the whole table")
                    .isEqualTo(scans);
            assertThat(waiting(pool)).as("scans of outbox_events_waiting").isGreaterThan(index);
            Report.line(
                    "R13 claims beside 200,000 published events",
                    "insert 400, claim and settle one lane of them: " + each,
                    each);
        }
    }

    private static void claimAndSettle(Scenario scenario, OutboxStore store, Lease lease) {
        scenario.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'Account', 'key-' || g % 1000, 't', '{}' FROM generate_series(1, 400) g");
        List<Claimed> claims = store.advance(lease, List.of(), 500);
        assertThat(claims).isNotEmpty();
        store.advance(
                lease, claims.stream().<Outcome>map(Outcome.Published::new).toList(), 0);
    }

    private static long waiting(HikariDataSource pool) throws SQLException {
        return statistic(
                pool, "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'outbox_events_waiting'");
    }

    private static long statistic(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
            statement.execute("SELECT pg_stat_clear_snapshot()");
            try (ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}

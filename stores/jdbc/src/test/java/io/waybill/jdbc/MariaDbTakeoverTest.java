package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A relay that is frozen in the middle of a transaction keeps the lane that it was settling, not the one before it. */
class MariaDbTakeoverTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    @Test
    void aLaneIsTakenBesideAnOpenSettlementOfTheNext() throws SQLException {
        try (JdbcBackend backend = MariaDbDatabase.queue();
                Connection frozen = backend.dataSource().getConnection();
                Connection other = backend.dataSource().getConnection();
                Statement settling = frozen.createStatement();
                Statement patience = other.createStatement()) {
            for (int i = 0; i < 100; i++) {
                backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                        + " VALUES ('A', 'k" + i + "', 't', '1')");
            }
            JdbcQueue first = JdbcQueue.on(backend.dataSource());
            first.store().heartbeat(new RelayReport("first", "here", "test", 0, 0), LEASE);
            Lease lease = first.store().acquire("first", 1, LEASE).orElseThrow();
            int claimed = first.store().advance(lease, List.of(), 100).size();
            frozen.setAutoCommit(false);
            settling.execute(
                    "UPDATE outbox_events SET state = 'PUBLISHED', processed_at = utc_timestamp(6) WHERE lane = 2");
            backend.execute("UPDATE outbox_lanes SET expires_at = utc_timestamp(6) - INTERVAL 1 SECOND");
            patience.execute("SET SESSION innodb_lock_wait_timeout = 1");

            JdbcQueue second = JdbcQueue.on(OneConnection.of(other));
            Lease next = second.store().acquire("second", 1, LEASE).orElseThrow();

            assertThat(second.store().advance(next, List.of(), 100).size())
                    .isPositive()
                    .isLessThanOrEqualTo(claimed);
            frozen.rollback();
        }
    }
}

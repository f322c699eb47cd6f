package io.waybill.jdbc.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.InnoDb;
import io.waybill.jdbc.JdbcBackend;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.OneConnection;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A relay that is frozen inside a transaction blocks the lane that it settles, but not the lane before it. */
@ParameterizedClass
@EnumSource
class InnoDbTakeoverTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final InnoDb database;

    InnoDbTakeoverTest(InnoDb database) {
        this.database = database;
    }

    @Test
    void aLaneIsTakenOverWhileTheNextLaneHasAnOpenSettlement() throws SQLException {
        try (JdbcBackend backend = database.queue();
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

    /** Two relays share the lanes in different ways. A statement that reads more than its own lanes would wait for a lock. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void severalLanesAdvanceWhileAllOtherLanesHaveAnOpenTransaction(int lanesOfTheFirst) throws SQLException {
        try (JdbcBackend backend = database.queue();
                Connection one = backend.dataSource().getConnection();
                Connection other = backend.dataSource().getConnection();
                Statement patience = other.createStatement()) {
            for (int i = 0; i < 200; i++) {
                backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                        + " VALUES ('A', 'k" + i + "', 't', '1')");
            }
            backend.execute("ANALYZE TABLE outbox_claims, outbox_events");
            JdbcQueue second = JdbcQueue.on(OneConnection.of(other));
            List<Lease> hers = lanes(backend, "first", 0, lanesOfTheFirst);
            List<Lease> his = lanes(backend, "second", lanesOfTheFirst, 8);
            List<List<ClaimedEvent>> claims = second.store()
                    .advance(his.stream()
                            .map(lease -> new LaneRequest(lease, List.of(), 10))
                            .toList());
            patience.execute("SET SESSION innodb_lock_wait_timeout = 1");
            one.setAutoCommit(false);
            Claims open = Claims.verified(
                    one,
                    hers.stream()
                            .map(lease -> new LaneRequest(lease, List.of(), 10))
                            .toList());
            open.claim();
            List<LaneRequest> settled = new ArrayList<>();
            for (int i = 0; i < his.size(); i++) {
                List<PublishOutcome> sent = claims.get(i).stream()
                        .<PublishOutcome>map(PublishOutcome.Published::new)
                        .toList();
                settled.add(new LaneRequest(his.get(i), sent, 10));
            }

            List<List<ClaimedEvent>> next = second.store().advance(settled);

            assertThat(next).allSatisfy(more -> assertThat(more).isNotEmpty());
            one.rollback();
        }
    }

    private static List<Lease> lanes(JdbcBackend backend, String relay, int from, int to) {
        backend.store().heartbeat(new RelayReport(relay, "here", "test", 0, 0), LEASE);
        return IntStream.range(from, to)
                .mapToObj(lane -> backend.store().acquire(relay, lane, LEASE).orElseThrow())
                .toList();
    }
}

package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the queue asks all the time reads what is open, not what the table holds; InnoDB counts the rows. */
@ParameterizedClass
@EnumSource
class InnoDbCostTest {
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final int PAST = 20_000;
    private static final int LANE = 5; // of key k

    private static final String READS = "SHOW SESSION STATUS LIKE 'Handler_read%'";

    /** As many rows as there are past events, numbered from 1. */
    private static final String NUMBERS = " FROM JSON_TABLE(concat('[1', repeat(',1', " + (PAST - 1)
            + "), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) AS past";

    private final InnoDb database;

    InnoDbCostTest(InnoDb database) {
        this.database = database;
    }

    @Test
    void nothingReadsThePast() throws SQLException {
        try (JdbcBackend backend = database.queue();
                Connection connection = backend.dataSource().getConnection()) {
            long fresh = reads(backend, connection, 1);
            backend.execute(
                    "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload, state, processed_at)"
                            + " SELECT 'A', concat('k', n), 't', '1', 'PUBLISHED', utc_timestamp(6)" + NUMBERS);
            backend.execute("ANALYZE TABLE outbox_events");

            long full = reads(backend, connection, 2);

            assertThat(full).as("rows read beside %d published events", PAST).isLessThan(fresh + 1_000);
        }
    }

    /** Whether they wait for their turn or behind another. */
    @ParameterizedTest
    @ValueSource(strings = {"NULL", "TIMESTAMP '9999-12-31 00:00:00'"})
    void nothingReadsTheWholeBacklog(String nextAttempt) throws SQLException {
        try (JdbcBackend backend = database.queue();
                Connection connection = backend.dataSource().getConnection()) {
            backend.execute("INSERT INTO outbox_events"
                    + " (aggregate_type, aggregate_id, event_type, payload, state, next_attempt_at) SELECT 'A',"
                    + " concat('k', n), 't', '1', 'PENDING', " + nextAttempt + NUMBERS);
            backend.execute("ANALYZE TABLE outbox_events");
            OutboxStore store = JdbcQueue.on(OneConnection.of(connection)).store();
            List<LaneRequest> turns = new ArrayList<>();
            for (int lane = 0; lane < 8; lane++) {
                turns.add(new LaneRequest(store.acquire("r", lane, LEASE).orElseThrow(), List.of(), 5));
            }
            List<Integer> lanes =
                    turns.stream().map(turn -> turn.lease().lane()).toList();
            int waiting = nextAttempt.equals("NULL") ? 5 : 0;
            long before = count(connection);

            store.ready(lanes);
            assertThat(store.advance(turns)).allSatisfy(own -> assertThat(own).hasSize(waiting));
            assertThat(store.advance(turns.get(LANE).lease(), List.of(), 5)).hasSize(waiting);

            assertThat(count(connection) - before)
                    .as("rows read beside %d others", PAST)
                    .isLessThan(1_000);
        }
    }

    /** The order of the primary key would lead through all published events to the first pending one. */
    @Test
    void nothingReadsThePastOfABacklog() throws SQLException {
        try (JdbcBackend backend = database.queue();
                Connection connection = backend.dataSource().getConnection()) {
            backend.execute(
                    "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload, state, processed_at)"
                            + " SELECT 'A', 'k', 't', '1', 'PUBLISHED', utc_timestamp(6)" + NUMBERS);
            backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                    + " SELECT 'A', 'k', 't', '1'" + NUMBERS);
            backend.execute("ANALYZE TABLE outbox_events");
            OutboxStore store = JdbcQueue.on(OneConnection.of(connection)).store();
            Lease lease = store.acquire("r", LANE, LEASE).orElseThrow();
            long before = count(connection);

            store.ready(List.of(LANE));
            List<ClaimedEvent> claims = store.advance(lease, List.of(), 5);
            assertThat(claims).hasSize(5);
            store.advance(lease, List.of(new PublishOutcome.Published(claims.get(0))), 5);

            assertThat(count(connection) - before)
                    .as("rows read of %d", 2 * PAST)
                    .isLessThan(1_000);
        }
    }

    /** Rows that this connection reads while it appends 20 events, looks for, claims and settles them, asks for the status, prunes. */
    private static long reads(JdbcBackend backend, Connection connection, int life) throws SQLException {
        for (int i = 0; i < 20; i++) {
            backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                    + " VALUES ('A', 'k', 't', '1')");
        }
        DataSource same = OneConnection.of(connection);
        JdbcQueue queue = JdbcQueue.on(same);
        String relay = "r" + life;
        long before = count(connection);
        queue.store().heartbeat(new RelayReport(relay, "here", "test", 0, 0), LEASE);
        Lease lease = queue.store().acquire(relay, LANE, LEASE).orElseThrow();
        assertThat(queue.store().ready(List.of(LANE))).containsExactly(LANE);
        List<ClaimedEvent> claims = queue.store().advance(lease, List.of(), 500);
        assertThat(claims).hasSize(20);
        List<PublishOutcome> outcomes = claims.stream()
                .<PublishOutcome>map(PublishOutcome.Published::new)
                .toList();
        queue.store().advance(lease, outcomes, 500);
        queue.view().status();
        queue.store().prune(Duration.ofDays(1), 1_000);
        queue.store().leave(relay);
        return count(connection) - before;
    }

    private static long count(Connection connection) throws SQLException {
        return Sql.on(connection).query(READS, row -> {
            long reads = 0;
            while (row.next()) {
                reads += row.getLong(2);
            }
            return reads;
        });
    }
}

package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.jdbc.internal.queue.Claims;
import io.waybill.jdbc.internal.queue.PendingQuery;
import io.waybill.jdbc.internal.sql.PostgresDialect;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.StoreException;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The tables as a contract with services in other languages, and their indexes and locks on PostgreSQL. */
class PostgresTablesTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private PostgresBackend backend;

    @BeforeEach
    void open() {
        backend = new PostgresBackend();
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private String query(String sql) {
        return backend.query(sql);
    }

    private List<Lease> lanes(String relay) {
        backend.store().heartbeat(new RelayReport(relay, "here", "test", 0, 0), LEASE);
        return IntStream.range(0, 8)
                .mapToObj(lane -> backend.store().acquire(relay, lane, LEASE))
                .flatMap(Optional::stream)
                .toList();
    }

    private List<ClaimedEvent> claim(List<Lease> lanes, int limit) {
        List<ClaimedEvent> claims = new ArrayList<>();
        lanes.forEach(lease -> claims.addAll(backend.store().advance(lease, List.of(), limit)));
        return claims;
    }

    @Test
    void fiveColumnsAreEnoughForAWriterInSql() {
        backend.execute("INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)"
                + " VALUES ('0192f0c1-2345-7abc-8def-0123456789ab', 'Order', '42', 'order.placed', '{\"total\": 10}')");

        ClaimedEvent claimed = claim(lanes("r"), 10).get(0);

        assertThat(claimed.event().payload()).isEqualTo("{\"total\": 10}");
        assertThat(claimed.event().version()).isEqualTo(1);
        assertThat(claimed.event().headers()).isEmpty();
        assertThat(claimed.event().destination()).isEqualTo("order.placed");
    }

    /** Two lanes for one key would break its order. These values must never change, in any version of any database. */
    @Test
    void theLaneOfAKeyNeverChanges() throws SQLException {
        assertThat(query("SELECT outbox_lane(k) FROM unnest(ARRAY['42', 'order-1', 'ключ', '🚚', ' ']) k")
                        .lines())
                .containsExactly("1", "6", "3", "1", "2");
    }

    @Test
    void anInvalidRowReachesTheRelayInsteadOfStoppingItsLane() {
        backend.execute(
                "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, event_version, headers, payload)"
                        + " VALUES ('', '  ', 'x', -3, '[1, {\"a\": 2}]', '1'),"
                        + " ('', '  ', 'x', 1, '{\"a\": {\"b\": [1]}, \"c\": null, \"d\": 1.50, \"e\": \"\\u0000\"}', '2')");

        List<ClaimedEvent> claims = claim(lanes("r"), 10);

        assertThat(claims).hasSize(2);
        assertThat(claims.get(0).event().headers()).containsEntry("headers", "[1, {\"a\": 2}]");
        assertThat(claims.get(1).event().headers())
                .containsEntry("a", "{\"b\": [1]}")
                .containsEntry("d", "1.50")
                .containsEntry("e", "\0")
                .doesNotContainKey("c");
    }

    @Test
    void onlyTheDatabaseAssignsSequenceNumbers() throws SQLException {
        assertThatThrownBy(() -> backend.execute(
                        "INSERT INTO outbox_events (seq, aggregate_type, aggregate_id, event_type, payload)"
                                + " VALUES (1, 'A', 'k', 't', '1')"))
                .hasRootCauseInstanceOf(SQLException.class)
                .rootCause()
                .hasMessageContaining("seq");
        assertThat(query("SELECT seqcache FROM pg_sequence WHERE seqrelid ="
                        + " pg_get_serial_sequence('outbox_events', 'seq')::regclass"))
                .isEqualTo("1");
    }

    @Test
    void theViewShowsEveryState() throws SQLException {
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " VALUES ('A', 'k', 't', '1')");
        List<Lease> lanes = lanes("r1");
        ClaimedEvent claimed = claim(lanes, 10).get(0);
        assertThat(query("SELECT state || ' ' || locked_by FROM outbox_states")).isEqualTo("CLAIMED r1");
        EventRecord record = backend.view().events(EventFilter.ALL, 1).get(0);
        assertThat(record.state()).isEqualTo(EventState.CLAIMED);
        assertThat(record.lockedBy()).isEqualTo("r1");
        assertThat(record.lockedUntil()).isNotNull();
        assertThat(backend.view().status().claimed()).isEqualTo(1);

        Lease lease = lanes.get(record.lane());
        backend.store().advance(lease, List.of(new PublishOutcome.Retry(claimed, Duration.ZERO, "no", true)), 0);
        assertThat(query("SELECT state || ' ' || retry_count || ' ' || last_error FROM outbox_states"))
                .isEqualTo("PENDING 1 no");
        claimed = backend.store().advance(lease, List.of(), 10).get(0);
        assertThat(query("SELECT state || ' ' || locked_by FROM outbox_states")).isEqualTo("CLAIMED r1");
        backend.store().advance(lease, List.of(new PublishOutcome.Published(claimed)), 0);
        assertThat(query("SELECT state FROM outbox_states")).isEqualTo("PUBLISHED");
    }

    @Test
    void aClaimReadsTheIndexOfOpenEventsWhateverTheTableContains() throws SQLException {
        backend.execute(
                "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload, state, processed_at)"
                        + " SELECT 'A', 'k' || n, 't', '1', 'PUBLISHED', now() FROM generate_series(1, 50000) n");
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'A', 'k' || n, 't', '1' FROM generate_series(1, 100) n");
        backend.execute("VACUUM ANALYZE outbox_events");

        String plan = query("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) "
                + PendingQuery.LATERAL
                        .sql(PostgresDialect.INSTANCE, 8, 500, true)
                        .replace("?", "'{0,1,2,3,4,5,6,7}'"));

        assertThat(plan)
                .contains("outbox_events_waiting")
                .doesNotContain("Seq Scan")
                .doesNotContain("Sort");
    }

    /** An asynchronous commit is visible before it is durable. A claim must be durable before its events are sent. */
    @Test
    void aClaimCommitsDurablyEvenIfTheServerCommitsAsynchronously() throws SQLException {
        backend.execute("ALTER DATABASE " + query("SELECT current_database()") + " SET synchronous_commit = off");
        backend.dataSource().getHikariPoolMXBean().softEvictConnections();
        try (Connection connection = backend.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Lease lease = lanes("r").get(0);
            Claims.verified(connection, List.of(new LaneRequest(lease, List.of(), 10)));
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW synchronous_commit")) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("on");
            }
            connection.rollback();
        }
        assertThat(query("SHOW synchronous_commit")).isEqualTo("off");
    }

    /** The interleaving: the owner settles, its lease expires, and another relay tries to acquire the lane. */
    @Test
    void aLaneIsNotTakenOverDuringATransactionOfItsOwner() throws SQLException {
        Lease lease = lanes("r1").get(0);
        try (Connection connection = backend.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Claims.verified(connection, List.of(new LaneRequest(lease, List.of(), 10)));
            backend.age(LEASE.plusSeconds(1));
            assertThat(backend.store().acquire("r2", lease.lane(), LEASE)).isEmpty();
            connection.commit();
        }
        assertThat(backend.store().acquire("r2", lease.lane(), LEASE)).isPresent();
    }

    /** The interleaving: a claim parks an event behind a dead letter while an operator discards the dead letter. */
    @Test
    void anEventParkedWhileItsDeadLetterIsDiscardedIsFreed() throws Exception {
        backend.execute("INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload)"
                + " VALUES ('0192f0c1-2345-7abc-8def-0123456789ab', 'A', 'k', 't', '1')");
        Lease lease = lanes("r").get(4);
        ClaimedEvent dead = backend.store().advance(lease, List.of(), 10).get(0);
        backend.store().advance(lease, List.of(new PublishOutcome.Dead(dead, "poison", true)), 0);
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " VALUES ('A', 'k', 't', '2')");
        ExecutorService person = Executors.newSingleThreadExecutor();
        Future<List<UUID>> discarded;
        try (Connection connection = backend.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Claims claims = Claims.verified(connection, List.of(new LaneRequest(lease, List.of(), 10)));
            claims.claim();
            assertThat(claims.lanes().get(0).claim().events()).as("parked").isEmpty();
            discarded = person.submit(() -> backend.deadLetters()
                    .discard(List.of(dead.event().id()), new DeadLetters.Decision("ann", "useless")));
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> discarded.isDone()
                            || query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                            + " AND datname = current_database()")
                                    .equals("1"));
            connection.commit();
        }
        assertThat(discarded.get(4, TimeUnit.MINUTES)).hasSize(1);
        person.shutdown();

        assertThat(backend.store().advance(lease, List.of(), 10))
                .singleElement()
                .satisfies(claimed -> assertThat(claimed.event().payload()).isEqualTo("2"));
    }

    @Test
    void publishedEventsAreDeletedIfConfigured() throws SQLException {
        try (PostgresBackend deleting = new PostgresBackend(JdbcQueue.OnSuccess.DELETE)) {
            deleting.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                    + " VALUES ('A', 'k', 't', '1')");
            deleting.store().heartbeat(new RelayReport("r", "here", "test", 0, 0), LEASE);
            Lease lease = deleting.store().acquire("r", 4, LEASE).orElseThrow();
            List<PublishOutcome> outcomes = new ArrayList<>();
            for (ClaimedEvent claimed : deleting.store().advance(lease, List.of(), 10)) {
                outcomes.add(new PublishOutcome.Published(claimed));
            }
            assertThat(outcomes).as("key k is in lane 4").hasSize(1);
            deleting.store().advance(lease, outcomes, 0);
            assertThat(deleting.view().events(EventFilter.ALL, 10)).isEmpty();
        }
    }

    @Test
    void concurrentAndRepeatedApplyCreatesTheSchemaOnce() throws Exception {
        try (HikariDataSource fresh = new HikariDataSource()) {
            fresh.setJdbcUrl(SharedServers.freshDatabase());
            ExecutorService together = Executors.newFixedThreadPool(4);
            Callable<Boolean> apply = () -> OutboxSchema.apply(fresh);
            int created = 0;
            for (Future<Boolean> result : together.invokeAll(List.of(apply, apply, apply, apply))) {
                created += result.get() ? 1 : 0;
            }
            together.shutdown();
            assertThat(created).isEqualTo(1);
            assertThat(OutboxSchema.problems(fresh)).isEmpty();
        }
    }

    @Test
    void theErrorForAnEmptyDatabaseNamesTheRemedy() {
        try (HikariDataSource fresh = new HikariDataSource()) {
            fresh.setJdbcUrl(SharedServers.freshDatabase());
            assertThatThrownBy(() -> OutboxSchema.check(fresh)).hasMessageContaining("waybill schema apply");
            assertThatThrownBy(() -> JdbcQueue.on(fresh).view().status())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("outbox_")
                    .hasMessageContaining("waybill schema apply");
        }
    }

    @Test
    void aNewerSchemaIsNotChanged() {
        backend.execute("UPDATE waybill_schema SET version = 99");
        assertThatThrownBy(() -> OutboxSchema.apply(backend.dataSource()))
                .hasMessageContaining("99")
                .hasMessageContaining("newer Waybill");
        assertThat(OutboxSchema.problems(backend.dataSource()))
                .singleElement()
                .satisfies(problem -> assertThat(problem).contains("99"));
    }

    @Test
    void theCheckNamesAMissingTable() {
        backend.execute("DROP TABLE outbox_audit_events");
        assertThat(OutboxSchema.problems(backend.dataSource()))
                .singleElement()
                .satisfies(problem -> assertThat(problem).contains("outbox_audit_events"));
    }

    @Test
    void theCheckNamesAMissingColumn() {
        backend.execute("ALTER TABLE outbox_events DROP COLUMN crash_count");
        assertThat(OutboxSchema.problems(backend.dataSource()))
                .singleElement()
                .satisfies(problem -> assertThat(problem).contains("outbox_events", "crash_count"));
    }

    /** Cached sequence numbers do not give the order of events. */
    @Test
    void relaysAndTheCheckRefuseACachedSequence() {
        backend.execute("ALTER SEQUENCE outbox_events_seq_seq CACHE 20");
        assertThatThrownBy(() -> lanes("r")).isInstanceOf(StoreException.class).hasMessageContaining("CACHE 1");
        assertThat(OutboxSchema.problems(backend.dataSource()))
                .singleElement()
                .satisfies(problem -> assertThat(problem).contains("CACHE 20", "ALTER SEQUENCE"));
        backend.execute("ALTER SEQUENCE outbox_events_seq_seq CACHE 1");
        assertThat(lanes("r")).hasSize(8);
    }

    @Test
    void aRelayIsRefusedIfPoliciesHideEventsFromIt() {
        String role = "relay_" + UUID.randomUUID().toString().replace("-", "");
        backend.execute("CREATE ROLE " + role + " LOGIN");
        DatabaseRole.RELAY.grants(Engine.QUEUE, role).forEach(backend::execute);
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " VALUES ('A', 'k', 't', '1')");
        try (HikariDataSource relays = new HikariDataSource()) {
            relays.setJdbcUrl(backend.dataSource().getJdbcUrl().replace("user=postgres", "user=" + role));
            JdbcQueue queue = JdbcQueue.on(relays);
            queue.store().heartbeat(new RelayReport("r", "here", "test", 0, 0), LEASE);
            Lease lease = queue.store().acquire("r", 4, LEASE).orElseThrow();
            backend.execute("ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY");
            assertThatThrownBy(() -> queue.store().advance(lease, List.of(), 10))
                    .hasMessageContaining("BYPASSRLS");
            assertThatThrownBy(() -> queue.store().heartbeat(new RelayReport("r", "here", "test", 0, 0), LEASE))
                    .hasMessageContaining("BYPASSRLS");
            assertThatThrownBy(() -> queue.view().status()).hasMessageContaining("BYPASSRLS");
            backend.execute("ALTER ROLE " + role + " BYPASSRLS");
            assertThat(queue.store().advance(lease, List.of(), 10)).hasSize(1);
        }
    }
}

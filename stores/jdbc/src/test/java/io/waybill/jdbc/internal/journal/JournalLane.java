package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.PostgresBackend;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A fixture for tests of one lane of the journal. All keys are in lane 4. */
class JournalLane {
    static final Duration LEASE = Duration.ofMinutes(1);
    static final int LANE = 4;

    PostgresBackend backend;
    OutboxStore store;
    Lease lease;

    /** A journal in an empty database. */
    PostgresBackend journal() {
        return PostgresBackend.journal();
    }

    @BeforeEach
    void open() {
        backend = journal();
        store = backend.store();
        lease = take("r");
    }

    @AfterEach
    void close() {
        backend.close();
    }

    Lease take(String relay) {
        store.heartbeat(new RelayReport(relay, "here", "test", 0, 0), LEASE);
        return store.acquire(relay, LANE, LEASE).orElseThrow();
    }

    Lease takeFromTheDead(String relay) {
        backend.execute("UPDATE outbox_lanes SET expires_at = now() - interval '1 second'");
        return take(relay);
    }

    /** Returns the same key of the lane for the same letter, so that a test can use keys a, b and c. */
    String key(String letter) {
        return key(letter, LANE);
    }

    String key(String letter, int lane) {
        return backend.query("SELECT k FROM (SELECT '" + letter + "' || n AS k FROM generate_series(1, 1000) n) k"
                + " WHERE outbox_lane(k) = " + lane + " ORDER BY length(k), k LIMIT 1");
    }

    static String insert(String key, String payload) {
        return "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload) VALUES ('A', '" + key
                + "', 't', '\"" + payload + "\"')";
    }

    void append(String key, String... payloads) {
        for (String payload : payloads) {
            backend.execute(insert(key, payload));
        }
    }

    Connection begin() throws SQLException {
        Connection connection = backend.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static List<String> payloads(List<ClaimedEvent> claims) {
        return claims.stream().map(c -> c.event().payload().replace("\"", "")).toList();
    }

    static List<PublishOutcome> outcomes(List<ClaimedEvent> claims, Function<ClaimedEvent, PublishOutcome> decide) {
        return claims.stream().map(decide).toList();
    }

    List<ClaimedEvent> claim(int limit) {
        return store.advance(lease, List.of(), limit);
    }

    void publish(List<ClaimedEvent> claims) {
        store.advance(lease, outcomes(claims, PublishOutcome.Published::new), 0);
    }

    List<String> drain() {
        List<String> all = new ArrayList<>();
        List<ClaimedEvent> claims = claim(100);
        while (!claims.isEmpty()) {
            all.addAll(payloads(claims));
            claims = store.advance(lease, outcomes(claims, PublishOutcome.Published::new), 100);
        }
        return all;
    }

    /** Waits until a session of this database waits for a lock, or the work is done. */
    void awaitLock(Future<?> work) {
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!work.isDone()
                && System.nanoTime() - patience < 0
                && backend.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND wait_event_type = 'Lock'")
                        .isEmpty()) {
            Thread.onSpinWait();
        }
    }
}

package io.waybill.acceptance.relay;

import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.acceptance.Scenario;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A lane that the test itself claims and settles step by step. Each event has its own key. */
final class SingleLane {
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final int LANE = 3;
    private static final int LIMIT = 1_000;

    private final Scenario scenario;
    private final OutboxStore store;
    private final Lease lease;
    private final List<String> keys;

    private SingleLane(Scenario scenario) {
        this.scenario = scenario;
        this.store = scenario.store();
        store.heartbeat(new RelayReport("test", "here", "test", 0, 0), LEASE);
        this.lease = store.acquire("test", LANE, LEASE).orElseThrow();
        this.keys = scenario.texts(
                "SELECT k FROM (SELECT 'k' || n AS k FROM generate_series(1, 2000) n) k WHERE outbox_lane(k) = "
                        + LANE);
    }

    static SingleLane of(Scenario scenario) {
        return new SingleLane(scenario);
    }

    /** Appends events named by the word and a number from 1, each in its own transaction. */
    void append(String word, int events) {
        await("the database takes writes again").atMost(Duration.ofMinutes(4)).until(this::writable);
        JdbcOutbox outbox = JdbcOutbox.create();
        try (Connection connection = scenario.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (int n = 1; n <= events; n++) {
                outbox.append(connection, Event.of("lone.lane", "Test", keys.get(n - 1), "\"" + word + n + "\""));
                connection.commit();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot append " + word, e);
        }
    }

    private boolean writable() {
        try {
            return scenario.number("SELECT CASE WHEN pg_is_in_recovery() THEN 0 ELSE 1 END") == 1;
        } catch (IllegalStateException poolStillHeals) {
            return false;
        }
    }

    List<ClaimedEvent> claim() {
        return settle(List.of());
    }

    /** Settles and claims the next batch. */
    List<ClaimedEvent> settle(List<PublishOutcome> outcomes) {
        return store.advance(lease, outcomes, LIMIT);
    }

    /** Settles like a relay: if the database rejects the outcomes, it reconciles the lane. */
    void settleLate(List<PublishOutcome> outcomes) {
        await("the database takes writes again").atMost(Duration.ofMinutes(4)).until(this::writable);
        try {
            store.advance(lease, outcomes, 0);
        } catch (StoreException refused) {
            store.reconcile(lease, outcomes);
        }
    }

    /** Publishes all events and returns their names in order. */
    List<String> drain() {
        List<String> all = new ArrayList<>();
        List<ClaimedEvent> claims = claim();
        while (!claims.isEmpty()) {
            all.addAll(names(claims));
            claims = settle(published(claims));
        }
        return all;
    }

    static List<PublishOutcome> published(List<ClaimedEvent> claims) {
        return claims.stream()
                .<PublishOutcome>map(PublishOutcome.Published::new)
                .toList();
    }

    static List<String> names(List<ClaimedEvent> claims) {
        return claims.stream()
                .map(claimed -> claimed.event().payload().replace("\"", ""))
                .toList();
    }

    static List<String> names(String word, int events) {
        return IntStream.rangeClosed(1, events).mapToObj(n -> word + n).toList();
    }
}

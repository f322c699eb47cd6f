package io.waybill.jdbc.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;

/** A table that is not Waybill's, served by a store whose lanes are all held. */
abstract class LayoutFixture {
    private static final Duration LEASE = Duration.ofSeconds(30);

    static final String LAYOUT = """
            table = public.outbox_events
            id = id
            key = account
            type = kind
            payload = body
            created = written
            order = id
            waiting = state = 'new'
            success.state = 'done'
            failure.tries = :attempts
            failure.note = :error
            failure.due = :next_attempt_at
            dead.state = 'dead'
            dead.note = :error
            """;

    final HikariDataSource source = new HikariDataSource();
    final List<Lease> leases = new ArrayList<>();

    JdbcQueue serve(String idType, String layout) {
        return serve(
                Layout.parse("mine", layout),
                "CREATE TABLE public.outbox_events (id " + idType
                        + " PRIMARY KEY, account text, kind text NOT NULL, body text,"
                        + " state text NOT NULL DEFAULT 'new', tries int, note varchar(20), due timestamptz,"
                        + " written timestamp NOT NULL DEFAULT (clock_timestamp() AT TIME ZONE 'UTC'))");
    }

    JdbcQueue serve(Layout parsed, String table) {
        source.setJdbcUrl(SharedServers.freshDatabase() + "&currentSchema=waybill&socketTimeout=20");
        execute(table);
        assertThat(LayoutSchema.apply(source, parsed)).isTrue();
        assertThat(LayoutSchema.apply(source, parsed)).isFalse();
        assertThat(LayoutSchema.problems(source, parsed)).isEmpty();
        return acquire(JdbcQueue.on(source, parsed));
    }

    JdbcQueue acquire(JdbcQueue queue) {
        RelayRoster roll = queue.store().heartbeat(new RelayReport("relay", "here:1", "test", 0, 0), LEASE);
        roll.lanes()
                .forEach(lane ->
                        queue.store().acquire("relay", lane.lane(), LEASE).ifPresent(leases::add));
        return queue;
    }

    @AfterEach
    void close() {
        source.close();
    }

    /** On a busy machine, an import can take longer than the half second that a search for work waits for it. */
    List<ClaimedEvent> awaitClaim(JdbcQueue queue) {
        return await("events are imported and claimed")
                .atMost(Duration.ofMinutes(4))
                .until(() -> claim(queue), claims -> !claims.isEmpty());
    }

    List<ClaimedEvent> claim(JdbcQueue queue) {
        queue.store().ready(List.of());
        List<ClaimedEvent> claims = new ArrayList<>();
        leases.forEach(lease -> claims.addAll(queue.store().advance(lease, List.of(), 100)));
        return claims;
    }

    void settle(JdbcQueue queue, List<ClaimedEvent> claims, Function<ClaimedEvent, PublishOutcome> outcome) {
        leases.forEach(lease -> {
            List<PublishOutcome> outcomes = claims.stream()
                    .filter(claimed -> lease(claimed).equals(lease))
                    .map(outcome)
                    .toList();
            if (!outcomes.isEmpty()) {
                queue.store().advance(lease, outcomes, 0);
            }
        });
    }

    Lease lease(ClaimedEvent claimed) {
        long lane = number("SELECT outbox_lane('" + claimed.event().key() + "')");
        return leases.stream().filter(one -> one.lane() == lane).findFirst().orElseThrow();
    }

    void insert(String key, String body) {
        execute("INSERT INTO public.outbox_events (account, kind, body) VALUES (" + key + ", 'k', " + body + ")");
    }

    void execute(String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long number(String sql) {
        return Long.parseLong(texts(sql).get(0));
    }

    List<String> texts(String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}

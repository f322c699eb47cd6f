package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.saga.JdbcCommandStore;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.participant.CommandStore.State;
import io.waybill.saga.participant.CommandStore.StoredReply;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore.Definition;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * PostgreSQL gathers statistics at an arbitrary time and uses them for planning until the next time. No statement of an engine may scan
 * a whole table, whatever the table contained when statistics were gathered. Autovacuum is off for the tables, so that the test
 * determines that time. The test uses one connection to a database of its own, because PostgreSQL adds the activity of other sessions to its counters
 * with a delay.
 */
class StaleStatisticsTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int ROWS = 20_000;
    private static final int LANE = 4; // the lane of key k

    /** More executions than the driver needs to prepare a statement, and PostgreSQL to cache its plan. */
    private static final int FAMILIAR = 12;

    /** The largest number of rows that a statement may read for a few events and eight lanes. */
    private static final long FEW_ROWS = 1_000;

    private static final String TABLES =
            "'outbox_events', 'outbox_held', 'inbox_held', 'processed_events', 'inbox_effects', 'idempotency_keys',"
                    + " 'sagas', 'saga_history', 'saga_signals', 'saga_commands'";

    private static final String SCANS =
            "SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_user_tables" + " WHERE relname IN (" + TABLES + ")";
    private static final String INDEXES =
            "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relname IN (" + TABLES + ")";
    private static final String ROWS_READ = "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)"
            + " FROM pg_stat_user_tables WHERE relname IN (" + TABLES + ")";

    @SuppressWarnings("NullAway.Init") // each test assigns it first, because its value depends on a parameter
    private PostgresBackend backend;

    @SuppressWarnings("NullAway.Init") // likewise
    private JdbcEngine engine;

    @SuppressWarnings("NullAway.Init") // likewise
    private Connection connection;

    @AfterEach
    void close() throws SQLException {
        connection.close();
        backend.close();
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE, EMPTY", "QUEUE, WAITING", "QUEUE, RETRYING", "QUEUE, PARKED", "QUEUE, DEAD_LETTER",
        "JOURNAL, EMPTY", "JOURNAL, WAITING", "JOURNAL, RETRYING", "JOURNAL, PARKED", "JOURNAL, DEAD_LETTER"
    })
    void noStatementScansAWholeTable(Engine kind, String stateDuringAnalyze) throws SQLException {
        backend = PostgresBackend.of(kind);
        connection = backend.dataSource().getConnection();
        awaitIndexBuilds();
        engine = kind == Engine.JOURNAL
                ? PostgresJournal.on(OneConnection.of(connection))
                : JdbcQueue.on(OneConnection.of(connection));
        execute("ALTER TABLE outbox_events SET (autovacuum_enabled = false)");
        if (kind == Engine.JOURNAL) {
            execute("ALTER TABLE outbox_held SET (autovacuum_enabled = false)");
        }
        if (stateDuringAnalyze.equals("EMPTY")) {
            execute("VACUUM ANALYZE");
        }
        insert(ROWS);
        if (stateDuringAnalyze.equals("WAITING")) {
            execute("VACUUM ANALYZE");
        }
        publishAll();
        switch (stateDuringAnalyze) {
            case "RETRYING" -> hold(kind, "PENDING", "now() + interval '1 day'", "NULL");
            case "PARKED" -> hold(kind, "PARKED", "'infinity'", "NULL");
            case "DEAD_LETTER" -> hold(kind, "DEAD_LETTER", "'infinity'", "now()");
            default -> {}
        }

        Map<String, Long> costs = new LinkedHashMap<>();
        OutboxStore store = engine.store();
        cost(costs, "heartbeat", () -> store.heartbeat(new RelayReport("r", "here", "test", 0, 0), LEASE));
        List<Lease> lease = new ArrayList<>();
        cost(costs, "acquire", () -> lease.add(store.acquire("r", LANE, LEASE).orElseThrow()));
        for (int i = 0; i < FAMILIAR; i++) {
            cost(costs, "ready", () -> store.ready(List.of(0, 1, 2, 3, 4, 5, 6, 7)));
            cost(costs, "settle and claim", () -> work(lease.get(0), PublishOutcome.Published::new));
        }
        cost(costs, "fail", () -> work(lease.get(0), c -> new PublishOutcome.Retry(c, Duration.ZERO, "no", true)));
        cost(costs, "give up", () -> work(lease.get(0), c -> new PublishOutcome.Dead(c, "no", true)));
        cost(costs, "reconcile", () -> store.reconcile(lease.get(0), List.of()));
        List<UUID> dead = new ArrayList<>();
        for (EventState state : EventState.values()) {
            if (kind == Engine.QUEUE && state == EventState.DISCARDED) {
                continue; // such events are found among the published ones
            }
            cost(costs, "list " + state, () -> engine.view().events(EventFilter.ALL.state(state), 10));
        }
        cost(costs, "list all", () -> engine.view().events(EventFilter.ALL, 10));
        if (kind == Engine.JOURNAL) { // the queue engine has no index of all keys
            cost(costs, "list key", () -> engine.view().events(EventFilter.ALL.key("k"), 10));
        }
        cost(costs, "status", () -> engine.view().status());
        cost(costs, "find dead letters", () -> dead.addAll(engine.deadLetters().matching(EventFilter.ALL, 10)));
        cost(costs, "replay", () -> engine.deadLetters().replay(dead, new Decision("me", "test")));
        cost(costs, "give up again", () -> work(lease.get(0), c -> new PublishOutcome.Dead(c, "no", true)));
        cost(costs, "discard", () -> engine.deadLetters().discard(dead, new Decision("me", "test")));
        cost(
                costs,
                "prune",
                () -> assertThat(store.prune(Duration.ofDays(1), 20)).isZero());
        cost(costs, "release", () -> store.release(lease.get(0)));
        cost(costs, "leave", () -> store.leave("r"));

        assertFewRows(costs);
    }

    /** When statistics were gathered, one key had all held events, and all effects and idempotency keys were old. */
    @Test
    void noStatementOfTheInboxScansAWholeTable() throws SQLException {
        backend = new PostgresBackend();
        connection = backend.dataSource().getConnection();
        awaitIndexBuilds();
        InboxSchema.apply(OneConnection.of(connection));
        JdbcInbox inbox = JdbcInbox.on(OneConnection.of(connection));
        for (String table : List.of("inbox_held", "inbox_effects", "idempotency_keys", "processed_events")) {
            execute("ALTER TABLE " + table + " SET (autovacuum_enabled = false)");
        }
        execute(
                "INSERT INTO inbox_held (consumer_group, event_id, state, entity_id, event_type, next_attempt_at, topic,"
                        + " topic_partition, topic_offset, headers, value) SELECT 'g', gen_random_uuid(), 'PARKED', 'Order/1', 't',"
                        + " 'infinity', 'orders', 0, n, '{}', '' FROM generate_series(1, " + ROWS + ") n");
        execute("INSERT INTO inbox_effects (consumer_group, effect_key, done_at)"
                + " SELECT 'g', 'e' || n, now() - interval '1 year' FROM generate_series(1, " + ROWS + ") n");
        execute(
                "INSERT INTO idempotency_keys (scope, key, request_hash, owner, locked_until, expires_at) SELECT 's', 'k' || n,"
                        + " 'h', gen_random_uuid(), now() - interval '1 year', now() - interval '1 year' FROM generate_series(1, "
                        + ROWS + ") n");
        execute("VACUUM ANALYZE");
        execute("UPDATE inbox_effects SET done_at = now()");
        execute("UPDATE idempotency_keys SET locked_until = now(), expires_at = now() + interval '1 day'");

        Map<String, Long> costs = new LinkedHashMap<>();
        for (int i = 0; i < FAMILIAR; i++) {
            Event event = Event.of("t", "Order", "other-" + i, "1");
            Event next = Event.of("t", "Order", "next-" + i, "1");
            cost(
                    costs,
                    "admit",
                    () -> inbox.store().transaction("admit", c -> inbox.store().admit(c, "g", event, false)));
            cost(
                    costs,
                    "admit all",
                    () -> inbox.store()
                            .transaction("admit", c -> inbox.store().admitAll(c, "g", List.of(next, event))));
            cost(costs, "claim", () -> inbox.store().claimDue("g", 10, LEASE));
        }
        cost(costs, "prune", () -> inbox.store().prune("g", Duration.ofDays(30), 10));
        cost(costs, "prune keys", () -> inbox.idempotencyKeys().prune(10));
        cost(costs, "dead letters", () -> inbox.deadLetters().list("g", EventFilter.ALL, 10));

        assertFewRows(costs);
    }

    /** The tables were empty when statistics were gathered, as they are after every installation. */
    @Test
    void noStatementOfSagasScansAWholeTable() throws SQLException {
        backend = new PostgresBackend();
        connection = backend.dataSource().getConnection();
        awaitIndexBuilds();
        SagaSchema.apply(OneConnection.of(connection));
        for (String table : List.of("sagas", "saga_history", "saga_signals", "saga_commands")) {
            execute("ALTER TABLE " + table + " SET (autovacuum_enabled = false)");
        }
        execute("VACUUM ANALYZE");
        execute("INSERT INTO saga_commands (consumer_group, command_id, state) SELECT 'g', gen_random_uuid(), 'DONE'"
                + " FROM generate_series(1, " + ROWS + ")");
        execute("INSERT INTO sagas (id, name, version, business_key, status, data, state, headers, stuck, created_at,"
                + " updated_at, wake_at, ended_at, revision) SELECT gen_random_uuid(), 's', 1, 'k' || n, 'EXECUTING', '{}',"
                + " '{}', '{}', '', now(), now(), now() + interval '1 hour', NULL, 1 FROM generate_series(1, " + ROWS
                + ") n");
        execute("INSERT INTO saga_history (saga_id, revision, position, kind, attempt, at)"
                + " SELECT id, 1, 0, 'STARTED', 0, now() FROM sagas");

        execute("INSERT INTO saga_signals (saga_id, saga_name, kind) SELECT id, 't', 'CHILD_ENDED' FROM sagas");

        JdbcCommandStore commands = JdbcCommandStore.on(OneConnection.of(connection));
        JdbcSagaStore store = JdbcSagaStore.on(OneConnection.of(connection));
        UUID saga = store.view().find("s", "k77").orElseThrow().id();
        Map<String, Long> costs = new LinkedHashMap<>();
        for (int i = 0; i < FAMILIAR; i++) {
            cost(
                    costs,
                    "command",
                    () -> store.transaction("command", c -> {
                        UUID id = UUID.randomUUID();
                        commands.putIfAbsent(c, "g", id, State.DONE);
                        commands.update(c, "g", id, State.DONE, new StoredReply("done", "k", "{}"));
                        return commands.putIfAbsent(c, "g", id, State.DONE).orElseThrow();
                    }));
            cost(costs, "find", () -> store.view().find("s", "k77"));
            cost(costs, "due", () -> store.due(List.of(new Definition("s", 1)), 100));
            cost(
                    costs,
                    "signal and lock",
                    () -> store.transaction("lock", c -> {
                        store.post(c, saga, SagaSignal.of(SagaSignal.Kind.CHILD_ENDED, "step", "{}"));
                        return store.lockDue(c, saga).orElseThrow();
                    }));
            cost(costs, "history", () -> store.view().history(saga));
            cost(costs, "signals", () -> store.view().signals(saga));
        }
        cost(costs, "list", () -> store.view().list(SagaFilter.all(10)));
        cost(costs, "prune", () -> store.prune(Duration.ofDays(1), 10));
        cost(costs, "prune commands", () -> commands.prune("g", Duration.ofDays(1), 10));

        assertFewRows(costs);
    }

    private static void assertFewRows(Map<String, Long> costs) {
        assertThat(costs)
                .as("rows read, or -1 for a scan of a whole table")
                .allSatisfy((what, rows) -> assertThat(rows).as(what).isBetween(0L, FEW_ROWS));
    }

    /** Gathers statistics while the last tenth of the rows is held. Afterwards no row is held. */
    private void hold(Engine kind, String state, String until, String dead) {
        if (kind == Engine.QUEUE) {
            execute("UPDATE outbox_events SET processed_at = NULL, state = '" + state + "', next_attempt_at = " + until
                    + ", dead_at = " + dead + " WHERE seq > " + ROWS * 9 / 10);
            execute("VACUUM ANALYZE");
            execute("UPDATE outbox_events SET processed_at = now(), state = 'PUBLISHED', next_attempt_at = NULL,"
                    + " dead_at = NULL WHERE processed_at IS NULL");
        } else {
            execute("INSERT INTO outbox_held (id, seq, aggregate_id, state, next_attempt_at, dead_at)"
                    + " SELECT id, seq, aggregate_id, '" + state + "', " + until + ", " + dead + " FROM outbox_events");
            execute("VACUUM ANALYZE");
            execute("DELETE FROM outbox_held");
        }
    }

    private void insert(int events) {
        execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'A', 'k' || n % 500, 't', '1' FROM generate_series(1, " + events + ") n");
    }

    private void publishAll() {
        for (int lane = 0; lane < 8; lane++) {
            Lease lease = engine.store().acquire("past", lane, LEASE).orElseThrow();
            List<ClaimedEvent> claims = engine.store().advance(lease, List.of(), 5_000);
            while (!claims.isEmpty()) {
                List<PublishOutcome> sent = claims.stream()
                        .<PublishOutcome>map(PublishOutcome.Published::new)
                        .toList();
                claims = engine.store().advance(lease, sent, 5_000);
            }
            engine.store().release(lease);
        }
    }

    /** Appends an event, claims all events and settles them. */
    private void work(Lease lease, Function<ClaimedEvent, PublishOutcome> decide) {
        execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " VALUES ('A', 'k', 't', '1')");
        List<ClaimedEvent> claims = engine.store().advance(lease, List.of(), 100);
        engine.store().advance(lease, claims.stream().map(decide).toList(), 0);
    }

    private void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private void cost(Map<String, Long> costs, String what, Runnable work) throws SQLException {
        long scans = statistic(SCANS);
        long rows = statistic(ROWS_READ);
        work.run();
        long cost = statistic(SCANS) > scans ? -1 : statistic(ROWS_READ) - rows;
        costs.merge(what, cost, (a, b) -> a < 0 || b < 0 ? -1 : Math.max(a, b));
    }

    /** The creation of an index counts as a scan, and the session that applied the schema reports its scans up to ten seconds later. */
    private void awaitIndexBuilds() {
        await().atMost(Duration.ofMinutes(4)).until(() -> statistic(SCANS) >= statistic(INDEXES));
    }

    private long statistic(String sql) throws SQLException {
        Sql on = Sql.on(connection);
        on.exists("SELECT pg_stat_force_next_flush()");
        on.exists("SELECT pg_stat_clear_snapshot()");
        return on.query(sql, row -> row.next() ? row.getLong(1) : 0);
    }
}

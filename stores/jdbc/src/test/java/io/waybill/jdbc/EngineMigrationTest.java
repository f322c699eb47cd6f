package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.StoreReplacedException;
import io.waybill.testkit.store.StoreBackend.Writer;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A migration from one engine to the other loses and repeats no event, and keeps every state and the order of every key. */
class EngineMigrationTest {

    @ParameterizedTest
    @EnumSource
    void everyStateIsMigratedAndDelivered(Engine from) {
        Engine to = from.other();
        try (PostgresBackend backend = PostgresBackend.of(from)) {
            EveryState outbox = new EveryState(backend);
            outbox.fill();
            Map<String, String> expected = expected(EveryState.seen(backend.view()));

            assertThat(OutboxSchema.migrate(backend.dataSource(), to, true)).isEqualTo(OptionalLong.of(16));
            assertThat(OutboxSchema.problems(backend.dataSource(), to)).isEmpty();
            JdbcEngine moved = JdbcEngine.on(backend.dataSource(), to);
            assertThat(EveryState.seen(moved.view())).isEqualTo(expected);
            assertThat(backend.query("SELECT action || ' ' || events FROM outbox_audit ORDER BY id"))
                    .isEqualTo("discard 1\nreplay 2");

            outbox.makeRetryDue(to);
            assertThat(new ManualRelay(moved.store(), "new").drain()).isEqualTo(EveryState.TO_COME);
            moved.store().leave("new");

            // back to the first engine, with most events published
            Map<String, String> drained = EveryState.seen(moved.view());
            assertThat(OutboxSchema.migrate(backend.dataSource(), from, true)).isEqualTo(OptionalLong.of(3));
            assertThat(EveryState.seen(backend.view())).isEqualTo(drained);
            assertThat(outbox.discard(backend.deadLetters(), "block")).hasSize(1);
            outbox.append("done", 3);
            assertThat(new ManualRelay(backend.store(), "last").drain())
                    .isEqualTo(Map.of("block", List.of("2"), "done", List.of("3")));
            assertThat(OutboxSchema.migrate(backend.dataSource(), from, false)).isEmpty();
        }
    }

    /** Events in claims are released. Of a key with failures, all open events but the first are parked. */
    private static Map<String, String> expected(Map<String, String> before) {
        Map<String, String> expected = new TreeMap<>(before);
        expected.replaceAll((event, state) -> state.replace("CLAIMED", "PENDING"));
        expected.computeIfPresent("crashed2", (event, state) -> state.replace("PENDING", "PARKED"));
        assertThat(before.get("taken1")).startsWith("CLAIMED");
        // The queue parks an event when a claim finds its key held. No claim has found this event yet.
        expected.computeIfPresent("retry4", (event, state) -> state.replace("PENDING", "PARKED"));
        return expected;
    }

    @ParameterizedTest
    @EnumSource
    void aRelayOfTheOldEngineIsFencedAndStops(Engine from) {
        try (PostgresBackend backend = PostgresBackend.of(from)) {
            EveryState outbox = new EveryState(backend);
            outbox.append("taken", 1);
            ManualRelay old = new ManualRelay(backend.store(), "old");
            old.claim(10);
            assertThatThrownBy(() -> OutboxSchema.migrate(backend.dataSource(), from.other(), false))
                    .hasMessageContainingAll("while relays run: old", "--fence-relays", "Nothing was changed");

            OutboxSchema.migrate(backend.dataSource(), from.other(), true);
            assertThatThrownBy(() -> old.settle(PublishOutcome.Published::new)).isInstanceOf(WaybillException.class);
            assertThatThrownBy(() -> backend.store().heartbeat(new RelayReport("old", "", "", 0, 0), ManualRelay.LEASE))
                    .isInstanceOf(StoreReplacedException.class)
                    .hasMessageContaining("from the " + from.label() + " engine to the "
                            + from.other().label());
            assertThatThrownBy(() -> backend.store().acquire("old", 1, ManualRelay.LEASE))
                    .isInstanceOf(WaybillException.class);
            assertThatThrownBy(() -> backend.store().prune(ManualRelay.LEASE, 10))
                    .isInstanceOf(WaybillException.class);
            JdbcEngine moved = JdbcEngine.on(backend.dataSource(), from.other());
            assertThat(new ManualRelay(moved.store(), "new").drain()).isEqualTo(Map.of("taken", List.of("1")));
        }
    }

    /** The migration waits for a writer that started before it. A writer that starts during the migration waits. No event is lost. */
    @ParameterizedTest
    @EnumSource
    void writersWaitAndLoseNoEvent(Engine from) throws Exception {
        try (PostgresBackend backend = PostgresBackend.of(from);
                Writer early = backend.begin();
                Writer late = backend.begin()) {
            early.append(Event.of("t", "T", "k", "1"));
            // Both wait for locks at the same time, and the common pool of JDK 25 may have only one thread.
            Executor threads = task -> new Thread(task, "migration-test").start();
            CompletableFuture<OptionalLong> move = CompletableFuture.supplyAsync(
                    () -> OutboxSchema.migrate(backend.dataSource(), from.other(), false), threads);
            awaitWaiting(backend, "LOCK TABLE%");
            CompletableFuture<Void> append =
                    CompletableFuture.runAsync(() -> late.append(Event.of("t", "T", "k", "2")), threads);
            awaitWaiting(backend, "INSERT INTO outbox_events%");
            early.commit();
            assertThat(move.get(4, TimeUnit.MINUTES)).isEqualTo(OptionalLong.of(1));
            append.get(4, TimeUnit.MINUTES);
            late.commit();
            JdbcEngine moved = JdbcEngine.on(backend.dataSource(), from.other());
            assertThat(new ManualRelay(moved.store(), "new").drain()).isEqualTo(Map.of("k", List.of("1", "2")));
        }
    }

    private static void awaitWaiting(PostgresBackend backend, String query) throws InterruptedException {
        String waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND wait_event_type = 'Lock' AND query LIKE '" + query + "'";
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!backend.query(waiting).equals("1")) {
            assertThat(System.nanoTime()).as("no session waits with " + query).isLessThan(until);
            Thread.sleep(10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void ownersAndGrantsAreKept(Engine from) throws Exception {
        try (PostgresBackend backend = PostgresBackend.of(from)) {
            String tag = "_" + System.nanoTime();
            for (DatabaseRole role : DatabaseRole.values()) {
                backend.execute("CREATE ROLE " + role + tag + " LOGIN");
                role.grants(from, role + tag).forEach(backend::execute);
            }
            OutboxSchema.migrate(backend.dataSource(), from.other(), false);
            String url = backend.dataSource().getJdbcUrl();
            try (var connection = DriverManager.getConnection(url.replaceAll("user=\\w+", "user=writer" + tag))) {
                connection.setAutoCommit(false);
                JdbcOutbox.create().append(connection, Event.of("t", "T", "k", "1"));
                connection.commit();
            }
            for (DatabaseRole role : List.of(DatabaseRole.RELAY, DatabaseRole.OPERATOR)) {
                role.privileges(from.other())
                        .forEach((table, allowed) -> assertThat(backend.query("SELECT bool_and(has_table_privilege('"
                                        + (role + tag).toLowerCase(java.util.Locale.ROOT) + "', '" + table
                                        + "', p)) FROM unnest(string_to_array('" + allowed + "', ', ')) p"))
                                .as(role + " " + table)
                                .isEqualTo("t"));
            }
            assertThat(JdbcEngine.on(backend.dataSource(), from.other())
                            .view()
                            .events(EventFilter.ALL.state(EventState.PENDING), 9))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMigrationIsRefusedIfItWouldDropTriggers(Engine from) {
        try (PostgresBackend backend = PostgresBackend.of(from)) {
            backend.execute("CREATE TRIGGER mine BEFORE INSERT ON outbox_events FOR EACH ROW"
                    + " EXECUTE FUNCTION suppress_redundant_updates_trigger()");
            assertThatThrownBy(() -> OutboxSchema.migrate(backend.dataSource(), from.other(), false))
                    .hasMessageContainingAll("mine", "Nothing was changed");
            assertThat(OutboxSchema.problems(backend.dataSource(), from)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMigrationIsRefusedIfItWouldDropPolicies(Engine from) {
        try (PostgresBackend backend = PostgresBackend.of(from)) {
            backend.execute("CREATE POLICY tenant ON outbox_events USING (true)");
            assertThatThrownBy(() -> OutboxSchema.migrate(backend.dataSource(), from.other(), false))
                    .hasMessageContainingAll("tenant", "Nothing was changed");
        }
    }
}

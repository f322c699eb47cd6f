package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How the journal uses PostgreSQL's snapshots, transaction numbers and sequences. */
class JournalWindowTest extends JournalLane {
    @Test
    void aRowGetsItsTransactionNumberBeforeItsSequenceNumber() {
        assertThat(backend.query("SELECT attname FROM pg_attribute WHERE attrelid = 'outbox_events'::regclass"
                                + " AND attname IN ('xid', 'seq') ORDER BY attnum")
                        .lines())
                .containsExactly("xid", "seq");
        // A sequence that records whether its transaction had a number when it was drawn from.
        backend.execute("CREATE TABLE seen (had_xid boolean)");
        backend.execute("CREATE FUNCTION spy() RETURNS bigint LANGUAGE plpgsql AS"
                + " $$ BEGIN PERFORM set_config('test.had', (pg_current_xact_id_if_assigned() IS NOT NULL)::text, false);"
                + " RETURN nextval('outbox_events_seq_seq'); END $$");
        backend.execute("ALTER TABLE outbox_events ALTER seq DROP IDENTITY");
        backend.execute("CREATE SEQUENCE outbox_events_seq_seq OWNED BY outbox_events.seq");
        backend.execute("ALTER TABLE outbox_events ALTER seq SET DEFAULT spy()");
        backend.execute(insert(key("a"), "1") + "; INSERT INTO seen SELECT current_setting('test.had')::boolean");
        assertThat(backend.query("SELECT had_xid FROM seen")).isEqualTo("t");
    }

    /**
     * No transaction has ended since this one got its number, so the number is at or above the xmax of the snapshot and not in its list. An
     * engine that treats it as a later transaction searches for its rows above the sequence, and never finds them.
     */
    @Test
    void aTransactionAboveTheSnapshotsXmaxIsDelivered() throws SQLException {
        try (Connection late = begin()) {
            execute(late, insert(key("a"), "late"));
            assertThat(claim(10)).isEmpty();
            late.commit();
        }
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
        assertThat(drain()).containsExactly("late");
    }

    @Test
    void aTransactionThatCommitsBelowTheCursorIsDelivered() throws SQLException {
        String a = key("a");
        String b = key("b");
        try (Connection late = begin()) {
            execute(late, insert(a, "late 1"));
            append(b, "1", "2", "3");
            assertThat(drain()).containsExactly("1", "2", "3");
            append(b, "4");
            execute(late, insert(a, "late 2"));
            assertThat(drain()).containsExactly("4");
            assertThat(store.ready(List.of(LANE))).isEmpty();
            late.commit();
        }
        append(b, "5");
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
        assertThat(backend.view().status().pending()).isEqualTo(3);
        assertThat(backend.view().events(EventFilter.ALL.state(EventState.PENDING), 10))
                .hasSize(3);
        assertThat(drain()).containsExactly("late 1", "late 2", "5");
        assertThat(backend.view().status().pending()).isZero();
        assertThat(store.ready(List.of(LANE))).isEmpty();
    }

    /**
     * The relay has its transaction number while it waits for its cursor. A transaction that begins now gets a higher number, so its rows
     * must lie above the sequence that the relay has read. The relay must therefore not read the sequence again after the wait.
     */
    @Test
    void theSequenceIsNotReadAgainAfterAWaitForTheCursor() throws Exception {
        append(key("a"), "1");
        long before = Long.parseLong(backend.query("SELECT last_value FROM outbox_events_seq_seq"));
        ExecutorService relay = Executors.newSingleThreadExecutor();
        try (Connection slow = begin();
                Connection waiting = begin()) {
            execute(slow, "UPDATE outbox_cursors SET suspect = 17 WHERE lane = " + LANE);
            Future<LockedCursor> found = relay.submit(() -> TransactionStart.lock(waiting, lease));
            awaitLock(found);
            assertThat(found.isDone()).isFalse();
            append(key("a"), "2", "3");
            slow.commit();
            assertThat(found.get(4, TimeUnit.MINUTES).cursor().suspect())
                    .as("the latest version of the row")
                    .isEqualTo(17);
            assertThat(found.get().sequence()).isEqualTo(before);
        } finally {
            relay.shutdown();
        }
    }

    /** A transaction gets its number, waits for the aggregate's lock, and writes after a transaction with a higher number. */
    @Test
    void orderFollowsTheSequenceNotTheTransactionNumber() throws Exception {
        String a = key("a");
        backend.execute("CREATE TABLE aggregate (id int PRIMARY KEY)");
        backend.execute("INSERT INTO aggregate VALUES (1)");
        ExecutorService waiter = Executors.newSingleThreadExecutor();
        try (Connection low = begin();
                Connection high = begin()) {
            execute(low, "SELECT pg_current_xact_id()");
            execute(high, "SELECT pg_current_xact_id()");
            execute(high, "SELECT 1 FROM aggregate FOR UPDATE");
            Future<?> waiting = waiter.submit(() -> {
                execute(low, "SELECT 1 FROM aggregate FOR UPDATE");
                execute(low, insert(a, "second"));
                low.commit();
                return null;
            });
            execute(high, insert(a, "first"));
            high.commit();
            waiting.get(4, TimeUnit.MINUTES);
        } finally {
            waiter.shutdown();
        }
        assertThat(backend.query("SELECT payload FROM outbox_events ORDER BY xid")
                        .lines())
                .containsExactly("\"second\"", "\"first\"");
        assertThat(drain()).containsExactly("first", "second");
    }

    @Test
    void aLargeTransactionIsProcessedPageByPage() {
        String a = key("a");
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'A', '" + a + "', 't', to_json(n::text) FROM generate_series(1, 20000) n");
        int expected = 0;
        List<ClaimedEvent> page = claim(1_000);
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(1_000);
            for (String payload : payloads(page)) {
                assertThat(payload).isEqualTo(Integer.toString(++expected));
            }
            append(a, Integer.toString(20_000 + (expected + 999) / 1_000)); // other transactions write meanwhile
            page = store.advance(lease, outcomes(page, PublishOutcome.Published::new), expected < 20_000 ? 1_000 : 0);
        }
        assertThat(expected).isEqualTo(20_000);
        assertThat(drain()).hasSize(20).first().isEqualTo("20001");
    }

    @Test
    void rolledBackEventsAreNeverClaimed() throws SQLException {
        String a = key("a");
        try (Connection connection = begin()) {
            execute(connection, insert(a, "ghost"));
            assertThat(drain()).isEmpty();
            connection.rollback();
            execute(connection, insert(a, "1"));
            execute(connection, "SAVEPOINT s");
            execute(connection, insert(a, "ghost"));
            execute(connection, "ROLLBACK TO SAVEPOINT s");
            execute(connection, "SAVEPOINT s");
            execute(connection, insert(a, "2"));
            execute(connection, "RELEASE SAVEPOINT s");
            assertThat(drain()).isEmpty();
            connection.commit();
        }
        assertThat(drain()).containsExactly("1", "2");
    }

    /** One transaction uses many savepoints and no other one commits: too many numbers to list in a snapshot. */
    @Test
    void aTransactionWithManySavepointsIsDelivered() throws SQLException {
        try (Connection connection = begin()) {
            execute(connection, insert(key("a"), "1"));
            execute(connection, "CREATE TEMPORARY TABLE t (n int)");
            execute(
                    connection,
                    "DO $$ BEGIN FOR i IN 1..12000 LOOP BEGIN INSERT INTO t VALUES (i);"
                            + " EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$");
            assertThat(drain()).isEmpty();
            assertThat(drain()).isEmpty();
            assertThat(backend.query("SELECT max(length(done::text)) < 1000 FROM outbox_cursors"))
                    .isEqualTo("t");
            connection.commit();
        }
        assertThat(drain()).containsExactly("1");
    }

    @Test
    void aConnectionInAStricterIsolationIsRefused() {
        try (HikariDataSource strict = new HikariDataSource()) {
            strict.setJdbcUrl(backend.dataSource().getJdbcUrl());
            strict.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            OutboxStore refused = PostgresJournal.on(strict).store();
            assertThatThrownBy(() -> refused.advance(lease, List.of(), 10))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("READ COMMITTED");
        }
    }

    @Test
    void aSnapshotListsEveryNumberUpToThatOfItsTransaction() {
        assertThat(Cursor.extended("5:5:", 5)).isEqualTo("5:6:5");
        assertThat(Cursor.extended("5:7:5", 8)).isEqualTo("5:9:5,7,8");
        assertThat(Cursor.extended("5:20:5,9", 7)).isEqualTo("5:20:5,7,9");
        assertThat(Cursor.extended("5:5:", 20_000)).isNull();
    }

    @Test
    void noRowOfTheJournalIsEverUpdated() {
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'A', 'k' || n % 100, 't', '1' FROM generate_series(1, 2000) n");
        assertThat(drain()).isNotEmpty();
        backend.dataSource().getHikariPoolMXBean().softEvictConnections(); // a session that ends reports its counts
        String counts = "SELECT n_tup_ins || ' ' || n_tup_upd || ' ' || n_tup_del FROM pg_stat_user_tables"
                + " WHERE relname = 'outbox_events'";
        await().atMost(Duration.ofMinutes(4)).until(() -> backend.query(counts).startsWith("2000"));
        assertThat(backend.query(counts)).isEqualTo("2000 0 0");
        assertThat(backend.query("SELECT count(*) FROM outbox_held")).isEqualTo("0");
        assertThat(backend.query("SELECT count(*) FROM outbox_events WHERE xmax::text <> '0'"))
                .as("row locks")
                .isEqualTo("0");
    }
}

package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.DeadLetters;
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
import java.util.UUID;
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
    void theSequenceIsNotReadAgainWhenTheCursorWasWaitedFor() throws Exception {
        append(key("a"), "1");
        long before = Long.parseLong(backend.query("SELECT last_value FROM outbox_events_seq_seq"));
        ExecutorService relay = Executors.newSingleThreadExecutor();
        try (Connection slow = begin();
                Connection waiting = begin()) {
            execute(slow, "UPDATE outbox_cursors SET suspect = 17 WHERE lane = " + LANE);
            Future<TransactionStart.LockedCursor> found = relay.submit(() -> TransactionStart.lock(waiting, lease));
            awaitLock(found);
            assertThat(found.isDone()).isFalse();
            append(key("a"), "2", "3");
            slow.commit();
            assertThat(found.get(20, TimeUnit.SECONDS).cursor().suspect())
                    .as("the row as it is now")
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
            waiting.get(20, TimeUnit.SECONDS);
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

    /** The transaction that settles the last page of a window and opens the next one is committed, and its answer is lost. */
    @Test
    void aLostAnswerAtTheEndOfAWindowRepeatsAndLosesNothing() {
        append(key("a"), "1", "2");
        List<ClaimedEvent> last = claim(10);
        append(key("b"), "3");
        List<PublishOutcome> settled = outcomes(last, PublishOutcome.Published::new);
        assertThat(payloads(store.advance(lease, settled, 10))).containsExactly("3");

        store.reconcile(lease, settled);
        store.reconcile(lease, settled);

        List<ClaimedEvent> again = claim(10);
        assertThat(payloads(again)).containsExactly("3");
        assertThat(again.get(0).retryCount()).isZero();
    }

    /** As before, but the transaction is not committed. */
    @Test
    void aSettlementThatWasNotCommittedIsRepeated() {
        append(key("a"), "1", "2");
        List<ClaimedEvent> claims = claim(10);
        store.reconcile(
                lease,
                List.of(
                        new PublishOutcome.Published(claims.get(0)),
                        new PublishOutcome.Retry(claims.get(1), Duration.ofHours(1), "no", true)));
        assertThat(drain()).isEmpty();
        assertThat(backend.view().status().retrying()).isEqualTo(1);
    }

    @Test
    void eventsReleasedInTheMiddleDoNotRepeatTheirNeighbours() {
        String a = key("a");
        String b = key("b");
        append(a, "a1");
        append(b, "b1");
        append(a, "a2");
        append(b, "b2");
        List<ClaimedEvent> claims = claim(10);
        store.advance(
                lease,
                outcomes(
                        claims,
                        c -> c.event().key().equals(a) || payloads(List.of(c)).contains("b2")
                                ? new PublishOutcome.Released(c)
                                : new PublishOutcome.Published(c)),
                0);
        assertThat(drain()).containsExactlyInAnyOrder("a1", "a2", "b2").containsSubsequence("a1", "a2");
    }

    /** Two retries of a key are due. A batch claims the first and releases it: it must stay ahead of the second. */
    @Test
    void aReleasedRetryStaysAheadOfItsSuccessors() {
        String a = key("a");
        append(a, "1", "2", "3", "4");
        List<ClaimedEvent> claims = claim(10);
        store.advance(
                lease,
                outcomes(
                        claims,
                        c -> c.equals(claims.get(0))
                                ? new PublishOutcome.Retry(c, Duration.ZERO, "no", true)
                                : new PublishOutcome.Parked(c)),
                0);
        publish(claim(10));
        for (int i = 0; i < 3; i++) {
            List<ClaimedEvent> two = claim(4);
            assertThat(payloads(two)).containsExactly("2", "3");
            store.advance(lease, outcomes(two, PublishOutcome.Released::new), 0);
        }
        assertThat(drain()).containsExactly("2", "3", "4");
    }

    @Test
    void aRetryWithoutDelayStaysAheadOfItsSuccessors() {
        String a = key("a");
        append(a, "1", "2", "3", "4");
        List<ClaimedEvent> claims = claim(10);
        store.advance(
                lease,
                outcomes(
                        claims,
                        c -> c.equals(claims.get(0))
                                ? new PublishOutcome.Retry(c, Duration.ZERO, "no", true)
                                : new PublishOutcome.Parked(c)),
                0);
        publish(claim(10));
        List<ClaimedEvent> one = claim(2);
        assertThat(payloads(one)).containsExactly("2");
        store.advance(lease, outcomes(one, c -> new PublishOutcome.Retry(c, Duration.ZERO, "no", true)), 0);
        assertThat(drain()).containsExactly("2", "3", "4");
    }

    /** A page parks an event before the page is settled; the event is published; then the page is read again. */
    @Test
    void aPublishedEventOfAnOpenPageIsNotRepeated() {
        String a = key("a");
        String b = key("b");
        append(b, "b1");
        store.advance(lease, outcomes(claim(10), c -> new PublishOutcome.Retry(c, Duration.ZERO, "no", true)), 0);
        append(a, "a1");
        append(b, "b2");
        List<ClaimedEvent> batch = claim(10);
        assertThat(payloads(batch)).containsExactly("b1", "a1");
        for (String next : List.of("b2", "")) {
            batch = store.advance(
                    lease,
                    outcomes(
                            batch,
                            c -> c.event().key().equals(a)
                                    ? new PublishOutcome.Released(c)
                                    : new PublishOutcome.Published(c)),
                    10);
            assertThat(payloads(batch)).contains("a1").hasSize(next.isEmpty() ? 1 : 2);
        }
        publish(batch);
        assertThat(drain()).isEmpty();
        assertThat(backend.query("SELECT DISTINCT state FROM outbox_states")).isEqualTo("PUBLISHED");
    }

    @Test
    void aPageThatCrashedItsOwnerIsReadAgainWithoutItsParkedEvents() {
        String a = key("a");
        append(a, "a1");
        store.advance(lease, outcomes(claim(10), c -> new PublishOutcome.Retry(c, Duration.ofHours(1), "no", true)), 0);
        append(a, "a2");
        append(key("b"), "b1", "b2");
        assertThat(payloads(claim(10))).containsExactly("b1", "b2");

        lease = takeFromTheDead("r2");
        assertThat(drain()).containsExactly("b1", "b2");
        backend.age(Duration.ofHours(2));
        lease = take("r3");
        assertThat(drain()).containsExactly("a1", "a2");
    }

    /** A replayed dead letter does not overtake an earlier held event, and later events do not overtake it. */
    @Test
    void aReplayedDeadLetterTakesItsPlaceInItsKey() {
        String a = key("a");
        append(a, "1", "2", "3");
        List<ClaimedEvent> claims = claim(10);
        List<PublishOutcome> outcomes = List.of(
                new PublishOutcome.Retry(claims.get(0), Duration.ofHours(1), "no", true),
                new PublishOutcome.Dead(claims.get(1), "no", false),
                new PublishOutcome.Parked(claims.get(2)));
        store.advance(lease, outcomes, 0);
        UUID dead = claims.get(1).event().id();
        backend.deadLetters().replay(List.of(dead), new DeadLetters.Decision("ann", "fixed"));

        assertThat(drain()).isEmpty();
        backend.age(Duration.ofHours(2));
        lease = take("r2");
        assertThat(payloads(claim(10))).containsExactly("1");
        lease = takeFromTheDead("r3");
        assertThat(drain()).containsExactly("1", "2", "3");
    }

    /** The interleaving: a relay parks an event behind a dead letter and has not committed; meanwhile an operator discards the dead letter. */
    @Test
    void nothingStaysParkedBehindADeadLetterThatIsDiscardedMeanwhile() throws Exception {
        String a = key("a");
        append(a, "1");
        List<ClaimedEvent> claims = claim(10);
        store.advance(lease, outcomes(claims, c -> new PublishOutcome.Dead(c, "no", true)), 0);
        append(a, "2");
        ExecutorService operator = Executors.newSingleThreadExecutor();
        try (Connection relay = begin()) {
            TransactionStart.lock(relay, lease);
            HeldTable.park(
                    relay,
                    List.of(UUID.fromString(backend.query("SELECT id FROM outbox_events ORDER BY seq DESC LIMIT 1"))));
            Future<List<UUID>> discarded = operator.submit(() -> backend.deadLetters()
                    .discard(List.of(claims.get(0).event().id()), new DeadLetters.Decision("ann", "no use")));
            awaitLock(discarded);
            relay.commit();
            assertThat(discarded.get(20, TimeUnit.SECONDS)).hasSize(1);
        } finally {
            operator.shutdown();
        }
        assertThat(drain()).containsExactly("2");
    }

    @Test
    void noRowOfTheJournalIsEverUpdated() {
        backend.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                + " SELECT 'A', 'k' || n % 100, 't', '1' FROM generate_series(1, 2000) n");
        assertThat(drain()).isNotEmpty();
        backend.dataSource().getHikariPoolMXBean().softEvictConnections(); // a session that ends reports its counts
        String counts = "SELECT n_tup_ins || ' ' || n_tup_upd || ' ' || n_tup_del FROM pg_stat_user_tables"
                + " WHERE relname = 'outbox_events'";
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!backend.query(counts).startsWith("2000") && System.nanoTime() - patience < 0) {
            Thread.onSpinWait();
        }
        assertThat(backend.query(counts)).isEqualTo("2000 0 0");
        assertThat(backend.query("SELECT count(*) FROM outbox_held")).isEqualTo("0");
        assertThat(backend.query("SELECT count(*) FROM outbox_events WHERE xmax::text <> '0'"))
                .as("nor locked")
                .isEqualTo("0");
    }
}

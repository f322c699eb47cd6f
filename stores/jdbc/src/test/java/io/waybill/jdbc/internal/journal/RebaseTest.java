package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.jdbc.OutboxSchema;
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

/** Changed transaction and sequence numbers: restored dumps, and sequences that were set back. */
class RebaseTest extends JournalLane {
    @Test
    void aRestoredDumpStopsTheLaneWithAnExplanation() {
        append(key("a"), "1");
        backend.execute("UPDATE outbox_cursors SET cluster = cluster + 1");
        assertThatThrownBy(() -> claim(10))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("another PostgreSQL cluster")
                .hasMessageContaining("waybill schema rebase");
        assertThat(backend.view().status().pending()).isEqualTo(1);
    }

    /**
     * Simulates a restore: the numbers of the old cluster are far higher, and one service has written since. Another service has its
     * transaction number already and writes after the rebase.
     */
    @Test
    void aRestoredDumpContinuesAtItsPosition() throws SQLException {
        String a = key("a");
        append(a, "1", "2");
        try (Connection late = begin()) {
            execute(late, insert(a, "late"));
            append(a, "3", "4", "5");
            publish(claim(2));
            publish(claim(1));
            late.commit();
        }
        claim(1);
        String moved = "regexp_replace(%1$s::text, '(\\d+)', '1000000\\1', 'g')::pg_snapshot";
        backend.execute("UPDATE outbox_cursors SET cluster = cluster + 1, done = " + moved.formatted("done")
                + ", open = " + moved.formatted("open"));
        backend.execute("UPDATE outbox_events SET xid = ('1000000' || xid::text)::xid8");
        append(a, "6");
        assertThatThrownBy(() -> claim(1)).hasMessageContaining("rebase");

        try (Connection early = begin()) {
            execute(early, "SELECT pg_current_xact_id()");
            assertThat(OutboxSchema.rebase(backend.dataSource())).isEqualTo(4);
            assertThat(OutboxSchema.rebase(backend.dataSource())).isZero();
            append(a, "7");
            assertThat(store.acquire("r2", LANE, LEASE)).isPresent();
            lease = takeFromTheDead("r3");
            assertThat(backend.view().status().pending()).isEqualTo(5);
            assertThat(drain()).containsExactly("late", "4", "5", "6", "7");
            execute(early, insert(a, "8"));
            early.commit();
        }
        assertThat(drain()).containsExactly("8");
        assertThat(backend.view().events(EventFilter.ALL.state(EventState.PUBLISHED), 100))
                .hasSize(9);
    }

    /** Its cursor refers to transaction numbers that this cluster has not yet assigned; pg_xact_status fails for them. */
    @Test
    void aRestoredDumpFromAnOlderClusterIsDetectedByTheFirstSearch() {
        append(key("a"), "1");
        publish(claim(10));
        backend.execute("UPDATE outbox_cursors SET cluster = cluster + 1, done = '900000000:900000001:900000000'");
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
    }

    /** New events would get numbers that the cursors have passed, and would never be published. */
    @Test
    void aSequenceThatWasResetStopsTheLaneUntilARebase() {
        append(key("a"), "1", "2", "3");
        assertThat(drain()).hasSize(3);
        backend.execute("TRUNCATE outbox_events RESTART IDENTITY CASCADE");
        append(key("a"), "4", "5");
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
        assertThatThrownBy(() -> claim(10))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("outbox_events_seq_seq")
                .hasMessageContaining("waybill schema rebase");

        assertThat(OutboxSchema.rebase(backend.dataSource())).isEqualTo(2);
        lease = take("r2");
        assertThat(drain()).containsExactly("4", "5");
        append(key("a"), "6");
        assertThat(drain()).containsExactly("6");
    }

    /** A transaction whose answer was lost moves the cursor above the sequence that the next transaction has already read. */
    @Test
    void aCursorThatMovedDuringAWaitForItsLockIsNotTakenForAReset() throws Exception {
        append(key("a"), "1");
        ExecutorService waiter = Executors.newSingleThreadExecutor();
        try (Connection slow = begin()) {
            execute(slow, "UPDATE outbox_cursors SET pos = pos WHERE lane = " + LANE);
            Future<List<String>> next = waiter.submit(this::drain);
            awaitLock(next);
            append(key("a"), "2", "3");
            execute(
                    slow,
                    "UPDATE outbox_cursors SET open_end = (SELECT last_value FROM outbox_events_seq_seq) WHERE lane = "
                            + LANE);
            slow.commit();
            assertThat(next.get(4, TimeUnit.MINUTES)).containsExactly("1", "2", "3");
        } finally {
            waiter.shutdown();
        }
    }

    /** When a relay checks, the new numbers are already higher than those of the cursor. */
    @Test
    void aSequenceThatWasResetStopsTheLaneAlsoWhenItHasCaughtUp() {
        append(key("a"), "1", "2", "3");
        assertThat(drain()).hasSize(3);
        backend.execute("TRUNCATE outbox_events RESTART IDENTITY CASCADE");
        append(key("a"), "4", "5", "6", "7", "8", "9", "10", "11");
        assertRefusedUntilRebased("4", "5", "6", "7", "8", "9", "10", "11");
    }

    @Test
    void aSequenceThatWasSetBackByHandStopsTheLaneAlsoWhenItHasCaughtUp() {
        append(key("a"), "1", "2", "3", "4");
        assertThat(drain()).hasSize(4);
        backend.query("SELECT setval('outbox_events_seq_seq', 1)");
        append(key("a"), "5", "6", "7", "8", "9", "10");
        assertRefusedUntilRebased("5", "6", "7", "8", "9", "10");
    }

    /** A relay has read the low number once; later, the sequence alone no longer shows that it was set back. */
    @Test
    void aRelayRecordsThatTheSequenceWasSetBack() {
        append(key("a"), "1", "2", "3", "4");
        assertThat(drain()).hasSize(4);
        backend.query("SELECT setval('outbox_events_seq_seq', 1)");
        append(key("a"), "5");
        assertThatThrownBy(() -> claim(10)).hasMessageContaining("rebase");
        append(key("a"), "6", "7", "8", "9", "10");
        assertRefusedUntilRebased("5", "6", "7", "8", "9", "10");
    }

    /** The relay keeps its lane, and writers have drawn all repeated numbers again when it claims. */
    @Test
    void aClaimDetectsASmallStepOfTheSequenceThatWritersHaveMadeUpFor() {
        append(key("a"), "1", "2", "3", "4");
        assertThat(drain()).hasSize(4);
        backend.query("SELECT setval('outbox_events_seq_seq', 2)");
        append(key("a"), "5", "6", "7", "8");
        assertThatThrownBy(() -> claim(10)).hasMessageContaining("waybill schema rebase");
        assertRefusedUntilRebased("5", "6", "7", "8");
    }

    private void assertRefusedUntilRebased(String... pending) {
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
        assertThatThrownBy(() -> lease = takeFromTheDead("again"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("outbox_events_seq_seq")
                .hasMessageContaining("waybill schema rebase");
        assertThatThrownBy(() -> claim(10)).isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.prune(Duration.ZERO, 100)).isInstanceOf(StoreException.class);
        assertThat(OutboxSchema.problems(backend.dataSource()))
                .singleElement()
                .asString()
                .contains("waybill schema rebase");
        assertThat(OutboxSchema.rebase(backend.dataSource())).isEqualTo(pending.length);
        assertThat(OutboxSchema.problems(backend.dataSource())).isEmpty();
        lease = takeFromTheDead("r2");
        assertThat(drain()).containsExactly(pending);
        append(key("a"), "next");
        assertThat(drain()).containsExactly("next");
    }

    /** A copy of the files of a cluster into which a later dump of the original is restored: both have the same cluster identifier. */
    @Test
    void cursorsAheadOfTheClusterAreRefused() {
        append(key("a"), "1");
        assertThat(drain()).containsExactly("1");
        backend.execute("UPDATE outbox_cursors SET done = '900000000:900000001:900000000'");
        append(key("a"), "2", "3");
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
        assertThatThrownBy(() -> claim(10))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("waybill schema rebase");
        assertThatThrownBy(() -> takeFromTheDead("again")).hasMessageContaining("waybill schema rebase");
        assertThat(OutboxSchema.problems(backend.dataSource()))
                .singleElement()
                .asString()
                .contains("waybill schema rebase");
        OutboxSchema.rebase(backend.dataSource());
        lease = takeFromTheDead("r2");
        assertThat(drain()).endsWith("2", "3");
        assertThat(backend.view().status().pending()).isZero();
    }

    /** The row has the number of the savepoint, the event that of the transaction. */
    @Test
    void eventsWrittenAfterASavepointAreDeliveredAfterARebase() throws SQLException {
        append(key("a"), "1");
        assertThat(drain()).containsExactly("1");
        backend.execute("UPDATE outbox_cursors SET cluster = cluster + 1, origin = origin - 1,"
                + " done = '900000000:900000001:900000000', done_seq = 1000, open_end = 1000");
        try (Connection writer = begin()) {
            execute(
                    writer,
                    "SAVEPOINT s; " + insert(key("a"), "2") + "; RELEASE s; SAVEPOINT t; " + insert(key("a"), "3"));
            writer.commit();
        }
        assertThatThrownBy(() -> claim(10)).hasMessageContaining("rebase");
        OutboxSchema.rebase(backend.dataSource());
        lease = takeFromTheDead("r2");
        assertThat(drain()).endsWith("2", "3");
    }
}

package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.operate.EventFilter;
import io.waybill.operate.EventState;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Transaction and sequence numbers that are not what they were: restored dumps, sequences that were reset. */
class JournalRebaseTest extends JournalLane {
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
     * As if restored: the numbers of the old cluster are far above ours, and one service has written since. Another has its
     * number already and will write after the rebase.
     */
    @Test
    void aRestoredDumpGoesOnWhereItWas() throws SQLException {
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

    /** Its cursor names transactions that this cluster has not begun yet; to ask for their fate is an error. */
    @Test
    void aRestoredDumpFromAnOlderClusterIsNoticedByTheFirstLook() {
        append(key("a"), "1");
        publish(claim(10));
        backend.execute("UPDATE outbox_cursors SET cluster = cluster + 1, done = '900000000:900000001:900000000'");
        assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
    }

    /** New events would have numbers that the cursors have passed: nobody would ever look for them. */
    @Test
    void aSequenceThatWasResetStopsTheLaneAndARebaseHelps() {
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

    /** A transaction whose answer got lost moves the cursor above the sequence that its successor has read before. */
    @Test
    void aCursorThatMovedWhileItWasWaitedForIsNoReset() throws Exception {
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
            assertThat(next.get(20, TimeUnit.SECONDS)).containsExactly("1", "2", "3");
        } finally {
            waiter.shutdown();
        }
    }
}

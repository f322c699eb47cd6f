package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.admin.KeySweep;
import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.queue.QueueStore;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The journal engine: an append-only table and a cursor for each lane.
 *
 * <p>The lane's cursor is a snapshot of the database: everything that was visible in it is finished. The next window is what
 * is visible in a new snapshot and was not in the old one, so a transaction that commits late is neither lost nor waited
 * for. Within a window events go by sequence number, never by transaction number: a transaction may get its number
 * first, wait for the aggregate's lock, and write later than one with a higher number. A window of any size is worked page
 * by page; the cursor knows how far.
 *
 * <p>Nothing is written for an event that goes out at once. A batch costs one small update: the cursor moves behind the last
 * page and over the next. Its synchronous commit makes everything that the window holds durable before it is sent.
 */
public final class JournalStore implements OutboxStore {
    /**
     * What open transactions have written costs a look each, and there may be millions of it. So a lane whose cursor lies far
     * behind counts as ready: the next window, if empty, brings the cursor up to date. Of a transaction that was open then,
     * nothing is looked at before it has ended, and a thousand rows afterwards: more is worth a claim in any case. Their
     * order makes the planner follow the index; after a bulk load it expects so many that it would read the table.
     *
     * <p>A lane whose claims would be refused counts as ready too: the claim explains what to do. To
     * ask for the fate of transactions that this cluster has not begun would be an error.
     *
     * <p>The lanes are asked for in a way that tells the planner nothing of their number: with one that it can count it would plan
     * each look anew, which takes longer than the look.
     */
    static final String READY = """
            SELECT c.lane FROM outbox_cursors c,
                (%s OFFSET 0) q
            WHERE array_position(?::int[], c.lane::int) IS NOT NULL AND CASE
                WHEN EXISTS (SELECT 1 FROM outbox_held h WHERE outbox_lane(h.aggregate_id) = c.lane
                             AND h.next_attempt_at < 'infinity' AND h.next_attempt_at <= now()) THEN true
                WHEN q.value - greatest(c.done_seq, c.pos) > 10000 OR q.value < c.open_end OR q.value IS NULL
                     OR c.broken IS NOT NULL OR c.cluster <> (SELECT system_identifier FROM pg_control_system())
                     OR c.origin <> (%s) OR c.sequence <> (%s)
                     OR row_security_active('outbox_events') OR %s THEN true
                WHEN (SELECT true FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = c.lane
                      AND e.seq > c.done_seq AND NOT pg_visible_in_snapshot(e.xid, c.done)
                      AND NOT (c.open IS NOT NULL AND e.seq <= c.pos AND pg_visible_in_snapshot(e.xid, c.open))
                      ORDER BY e.seq LIMIT 1) THEN true
                ELSE EXISTS (SELECT 1 FROM pg_snapshot_xip(c.done) x CROSS JOIN LATERAL (
                                 SELECT e.aggregate_id, row_number() OVER () AS n FROM (
                                     SELECT aggregate_id FROM outbox_events e
                                     WHERE e.xid = x AND e.seq <= c.done_seq
                                       AND NOT (c.open IS NOT NULL AND e.seq <= c.pos
                                                AND pg_visible_in_snapshot(x, c.open)) ORDER BY e.seq LIMIT 1000) e) e
                             WHERE coalesce(pg_xact_status(x), 'committed') = 'committed'
                               AND (outbox_lane(e.aggregate_id) = c.lane OR e.n = 1000)) END""".formatted(
                    Cursor.SEQUENCE,
                    PostgresAssumption.Sources.ORIGIN,
                    PostgresAssumption.Sources.SEQUENCE,
                    PostgresAssumption.Sources.AHEAD);

    private static final String REMEMBER_SET_BACK =
            "UPDATE outbox_cursors SET broken = 'SET_BACK' WHERE broken IS NULL";

    private static final String RECOVER = """
            UPDATE outbox_cursors SET crashes = crashes + 1, suspect = claimed, claimed = NULL
            WHERE lane = ? AND claimed IS NOT NULL""";

    /**
     * The oldest of each lane, as many as asked for: a look that ends at the first young one in any case. An array, because the
     * planner would rather read the table than look up as many rows as it fears.
     */
    static final String PRUNE = """
            DELETE FROM outbox_events WHERE id = ANY (ARRAY (
                SELECT e.id FROM outbox_cursors c CROSS JOIN LATERAL (
                    SELECT e.id, e.created_at FROM outbox_events e
                    WHERE outbox_lane(e.aggregate_id) = c.lane AND e.seq <= c.done_seq
                      AND pg_visible_in_snapshot(e.xid, c.done)
                      AND NOT EXISTS (SELECT 1 FROM outbox_held h WHERE h.id = e.id)
                    ORDER BY e.seq LIMIT ?) e
                WHERE e.created_at < now() - ? * interval '1 millisecond'
                UNION ALL
                (SELECT h.id FROM outbox_held h
                 JOIN outbox_cursors c ON c.lane = outbox_lane(h.aggregate_id)
                 JOIN outbox_events e ON e.id = h.id
                 WHERE h.settled_at < now() - ? * interval '1 millisecond' AND h.dead_at IS NULL
                   AND pg_visible_in_snapshot(e.xid, c.done)
                 ORDER BY h.settled_at LIMIT ?)
                LIMIT ?))""";

    private final Transactions database;
    private final KeySweep sweep;
    private final ClaimMarks marks = new ClaimMarks();

    public JournalStore(Transactions database) {
        this.database = database;
        this.sweep = new KeySweep(
                database,
                dialect -> HeldTable.NEXT_KEY,
                new DeadLetterRepair(),
                (sql, key) -> HeldTable.unpark(sql, Map.of(key, 0L)));
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        marks.lease(lease);
        return database.transaction(
                "renew the leases of relay " + report.name(),
                LaneTable.patience(lease),
                c -> LaneTable.heartbeat(c, report, lease, Engine.JOURNAL, HeldTable::retryNow));
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return remembering(() -> LaneTable.acquire(database, relay, lane, lease, JournalStore::recover));
    }

    /**
     * A sequence that was set back is noticed while it is lower than what the cursors have seen. That must not be forgotten when
     * it has passed them: events with numbers in between are in no window.
     */
    private <T> T remembering(Supplier<T> work) {
        try {
            return work.get();
        } catch (SequenceSetBackException e) {
            StoreException refusal = new StoreException(String.valueOf(e.getMessage()), e);
            try {
                database.transaction(
                        "remember that the sequence was set back",
                        c -> Sql.on(c).update(REMEMBER_SET_BACK));
            } catch (StoreException failed) {
                refusal.addSuppressed(failed);
            }
            throw refusal;
        }
    }

    private static void recover(Connection connection, int lane) throws SQLException {
        Optional<SequenceSetBackException> impossible = UnreachableRows.of(connection, lane);
        if (impossible.isPresent()) {
            throw impossible.get(); // and the lane is not taken
        }
        try (PreparedStatement recover = Sql.statement(connection, RECOVER)) {
            recover.setInt(1, lane);
            recover.executeUpdate();
        }
        HeldTable.recover(connection, lane);
    }

    @Override
    public void release(Lease lease) {
        database.transaction("release " + lease, c -> {
            LaneTable.release(c, lease);
            return lease;
        });
        marks.forget(lease);
    }

    @Override
    public void leave(String relay) {
        database.transaction("take relay " + relay + " off the roll", c -> {
            LaneTable.leave(c, relay);
            return relay;
        });
        marks.forget(relay);
    }

    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        return database.query("look for events", c -> QueueStore.lanes(Sql.on(c), READY, lanes));
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> turns) {
        return remembering(() -> marks.advance(database, turns, (c, active) -> Advance.run(c, active, marks)));
    }

    /** A lost answer leaves either our last claim open or a later one whose events we never saw: both are put back. */
    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        remembering(() -> database.claiming(() -> "put " + lease + " in order", marks.lease(), c -> {
            TransactionStart.Found found = TransactionStart.under(c, lease);
            List<PublishOutcome> open = stillOpen(c, outcomes, marks.open(lease, found.mark(), outcomes));
            Cursor settled = Settlement.settle(c, found.cursor(), open).withClaimed(null);
            HeldTable.unclaim(c, lease.lane());
            if (!settled.equals(found.cursor())) {
                CursorTable.commit(c, List.of(settled));
            }
            return lease;
        }));
    }

    /** @param claimed whether the cursor is as our last claim left it, so that nothing of it is settled yet */
    private static List<PublishOutcome> stillOpen(Connection connection, List<PublishOutcome> outcomes, boolean claimed)
            throws SQLException {
        List<PublishOutcome> retried =
                outcomes.stream().filter(outcome -> outcome.claimed().retried()).toList();
        List<PublishOutcome> open = new ArrayList<>(HeldTable.stillClaimed(connection, retried));
        if (claimed) {
            outcomes.stream().filter(outcome -> !outcome.claimed().retried()).forEach(open::add);
        }
        return open;
    }

    @Override
    public int prune(Duration age, int limit) {
        sweep.run();
        return database.transaction("remove old events", c -> {
            LaneTable.requireAssumptions(c, Engine.JOURNAL);
            Dialect.of(c).refuseHiddenRows(c);
            LaneTable.forgetRelays(c);
            try (PreparedStatement prune = Sql.statement(c, PRUNE)) {
                prune.setInt(1, limit);
                prune.setLong(2, age.toMillis());
                prune.setLong(3, age.toMillis());
                prune.setInt(4, limit);
                prune.setInt(5, limit);
                return prune.executeUpdate();
            }
        });
    }
}

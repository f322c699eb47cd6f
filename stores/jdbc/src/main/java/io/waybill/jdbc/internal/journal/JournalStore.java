package io.waybill.jdbc.internal.journal;

import io.waybill.admin.OutboxPause;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.admin.KeySweep;
import io.waybill.jdbc.internal.admin.PausedEvents;
import io.waybill.jdbc.internal.assumption.Assumptions;
import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.lane.Heartbeat;
import io.waybill.jdbc.internal.lane.LaneTable;
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
 * <p>The lane's cursor is a snapshot of the database: every event that was visible in it is finished. The next window
 * consists of the events that are visible in a new snapshot and were not visible in the old one. A transaction that commits
 * late is therefore neither lost nor waited for. Within a window, events are ordered by sequence number, never by
 * transaction number: a transaction may get its number, wait for the aggregate's lock, and write later than a transaction
 * with a higher number. A window of any size is processed page by page; the cursor holds the position.
 *
 * <p>An event that is published at the first attempt causes no write of its own. A batch costs one small update, which moves
 * the cursor past the last page and claims the next one. The update is committed synchronously, so every event of the window
 * is durable before it is sent.
 */
public final class JournalStore implements OutboxStore {
    /**
     * Selects the lanes that have an event to claim.
     *
     * <p>Each row that an open transaction has written must be examined, and there may be millions of them. A lane whose cursor
     * is far behind therefore counts as ready: its next window, if empty, brings the cursor up to date. Rows of transactions that
     * were open in the cursor's snapshot are examined only after the transaction has ended, and at most a thousand of them: a
     * lane with a thousand such rows counts as ready without examining the other rows. The ORDER BY makes the planner follow the
     * index; after a bulk load it expects so many rows that it would scan the table.
     *
     * <p>A lane whose claims would be refused also counts as ready: the refused claim reports the remedy. Such a lane must
     * not reach pg_xact_status, which fails for transaction numbers that this cluster has not yet assigned.
     *
     * <p>array_position hides the number of lanes from the planner. If the planner could estimate it, it would plan every
     * execution again, which takes longer than the execution.
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

    private static final String RECORD_SET_BACK = "UPDATE outbox_cursors SET broken = 'SET_BACK' WHERE broken IS NULL";

    private static final String RECOVER = """
            UPDATE outbox_cursors SET crashes = crashes + 1, suspect = claimed, claimed = NULL
            WHERE lane = ? AND claimed IS NOT NULL""";

    /**
     * Deletes the oldest finished events of each lane, up to the limit; the LIMIT bounds the number of rows examined. The ids are
     * collected in an array, because with a join the planner overestimates the number of rows and scans the table.
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
                dialect -> OutboxHeldTable.NEXT_KEY,
                new JournalDeadLetters(),
                (sql, key) -> OutboxHeldTable.unpark(sql, Map.of(key, 0L)));
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        marks.lease(lease);
        return Heartbeat.send(database, report, lease, Engine.JOURNAL, OutboxHeldTable::makeRetriesDue);
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return recordingSetBack(() -> LaneTable.acquire(database, relay, lane, lease, JournalStore::recover));
    }

    /**
     * Records in the database that the sequence was set back. A relay can detect this only while the sequence is lower than
     * the cursors. It must stay recorded after the sequence has passed them, because no window contains the events with
     * numbers in between.
     */
    private <T> T recordingSetBack(Supplier<T> work) {
        try {
            return work.get();
        } catch (SequenceSetBackException e) {
            StoreException refusal = new StoreException(String.valueOf(e.getMessage()), e);
            try {
                database.transaction(
                        "record that the sequence was set back", c -> Sql.on(c).update(RECORD_SET_BACK));
            } catch (StoreException failed) {
                refusal.addSuppressed(failed);
            }
            throw refusal;
        }
    }

    private static void recover(Connection connection, int lane) throws SQLException {
        Optional<SequenceSetBackException> setBack = UnreachableRows.inLane(connection, lane);
        if (setBack.isPresent()) {
            throw setBack.get(); // rolls back, so the lane is not acquired
        }
        try (PreparedStatement recover = Sql.statement(connection, RECOVER)) {
            recover.setInt(1, lane);
            recover.executeUpdate();
        }
        OutboxHeldTable.unclaimAfterCrash(connection, lane);
    }

    @Override
    public void release(Lease lease) {
        LaneTable.release(database, lease);
        marks.forget(lease);
    }

    @Override
    public void leave(String relay) {
        LaneTable.leave(database, relay);
        marks.forget(relay);
    }

    @Override
    public Set<Integer> ready(Collection<Integer> lanes) {
        return database.query("look for events", c -> LaneTable.select(Sql.on(c), READY, lanes));
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
        return recordingSetBack(() -> marks.advance(database, requests, (c, active) -> Advance.run(c, active, marks)));
    }

    /**
     * After a lost answer, one of two claims is open: the last claim that this store received, or a later claim whose events it
     * never received. In both cases, the claim is released.
     */
    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        recordingSetBack(() -> database.claimTransaction(() -> "reconcile " + lease, marks.lease(), c -> {
            LockedCursor locked = TransactionStart.lock(c, lease);
            List<PublishOutcome> open = stillOpen(c, outcomes, marks.isOpen(lease, locked.mark(), outcomes));
            Cursor settled = CursorSettlement.settle(c, locked.cursor(), open).withClaimed(null);
            OutboxHeldTable.unclaim(c, lease.lane());
            if (!settled.equals(locked.cursor())) {
                CursorTable.writeAndCommit(c, List.of(settled));
            }
            return lease;
        }));
    }

    /**
     * @param claimed whether the cursor is unchanged since the last claim of this store, so that none of its events is
     *     settled
     */
    private static List<PublishOutcome> stillOpen(Connection connection, List<PublishOutcome> outcomes, boolean claimed)
            throws SQLException {
        List<PublishOutcome> retried =
                outcomes.stream().filter(outcome -> outcome.claimed().retried()).toList();
        List<PublishOutcome> open = new ArrayList<>(OutboxHeldTable.stillClaimed(connection, retried));
        if (claimed) {
            outcomes.stream().filter(outcome -> !outcome.claimed().retried()).forEach(open::add);
        }
        return open;
    }

    @Override
    public boolean supportsPauses() {
        return true;
    }

    @Override
    public List<OutboxPause> pauses() {
        return database.query("read the pauses of operators", c -> PausedEvents.read(Sql.on(c)));
    }

    @Override
    public int wakeHeld(int lane, Collection<String> reasons, int limit) {
        return database.transaction(
                "make paused events of lane " + lane + " due",
                c -> OutboxHeldTable.wakeHeld(Sql.on(c), lane, reasons, limit));
    }

    @Override
    public int prune(Duration age, int limit) {
        sweep.run();
        return database.transaction("remove old events", c -> {
            Assumptions.require(c, Engine.JOURNAL);
            Dialect.of(c).refuseHiddenRows(c);
            LaneTable.pruneRelays(c);
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

package io.waybill.jdbc.internal.queue;

import io.waybill.admin.OutboxPause;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.admin.KeySweep;
import io.waybill.jdbc.internal.admin.PausedEvents;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.lane.Heartbeat;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The queue engine: each event is a row that changes its state. */
public final class QueueStore implements OutboxStore {
    private final Transactions database;
    private final PublishedRow onSuccess;
    private final SettlementListener listener;
    private final KeySweep sweep;
    private final ClaimMarks marks = new ClaimMarks();

    /** Whether the last scan found held events. The next scan will probably find the same. */
    private volatile boolean anyHeld;

    /** Runs in the transaction that settles a batch. It may run twice for the same batch, see {@link #reconcile}. */
    @FunctionalInterface
    public interface SettlementListener {
        void settled(Connection connection, List<PublishOutcome> outcomes) throws SQLException;

        /** Runs in the transaction that claims events for another attempt. */
        default void claimedAgain(Connection connection, List<ClaimedEvent> retries) throws SQLException {}
    }

    public QueueStore(Transactions database, PublishedRow onSuccess) {
        this(database, onSuccess, (connection, outcomes) -> {});
    }

    public QueueStore(Transactions database, PublishedRow onSuccess, SettlementListener listener) {
        this.database = database;
        this.onSuccess = onSuccess;
        this.listener = listener;
        this.sweep = new KeySweep(
                database,
                dialect -> QueueStatements.of(dialect).nextKey(),
                new QueueDeadLetters(),
                (sql, key) -> ParkedEvents.free(sql, List.of(key)));
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        marks.lease(lease);
        return Heartbeat.send(database, report, lease, Engine.QUEUE, QueueStore::makeRetriesDue);
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return LaneTable.acquire(database, relay, lane, lease, QueueStore::recover);
    }

    /** Makes all retries due now, because the database's clock was set back and their due times come from the old clock. */
    private static void makeRetriesDue(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.update(QueueStatements.of(sql).makeRetriesDue);
    }

    /**
     * Releases the events that the last owner held when it crashed, and counts a failed attempt for each: one of them may have caused
     * the crash.
     */
    public static void recover(Connection connection, int lane) throws SQLException {
        Sql sql = Sql.on(connection);
        QueueStatements statements = QueueStatements.of(sql);
        recover(sql, statements.recoverFirstAttempts, ids(sql, statements.claimedFirstAttempts, lane, lane, lane));
        sql.update(statements.closeClaim(), lane);
        recover(sql, statements.recoverRetries, ids(sql, statements.claimedRetries, lane));
    }

    private static List<UUID> ids(Sql sql, String query, Object... lanes) throws SQLException {
        return sql.query(
                query,
                row -> {
                    List<UUID> ids = new ArrayList<>();
                    while (row.next()) {
                        ids.add(sql.dialect().uuid(row, 1));
                    }
                    return ids;
                },
                lanes);
    }

    private static void recover(Sql sql, String update, List<UUID> ids) throws SQLException {
        if (!ids.isEmpty()) {
            sql.update(update, ids);
        }
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
        return database.query("look for events", c -> {
            Sql sql = Sql.on(c);
            return LaneTable.select(sql, QueueStatements.of(sql).ready(), lanes, lanes);
        });
    }

    /** Executes the same number of statements for any number of lanes, except for lanes with due retries. */
    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> requests) {
        return marks.advance(database, requests, (connection, active) -> {
            Sql sql = Sql.on(connection);
            Claims claims = new Claims(sql, active, anyHeld);
            Settlement settlement = Settlement.of(sql, active, onSuccess);
            StatementPipeline first = new StatementPipeline(sql);
            claims.verifyFences(first);
            settlement.settlePublished(first);
            if (!settlement.hasOthers()) {
                claims.scan(first);
            }
            first.send();
            for (int i = 0; i < active.size(); i++) {
                LaneRequest request = active.get(i);
                marks.require(request.lease(), claims.lanes().get(i).mark(), request.outcomes());
            }
            settlement.settleOthers(sql);
            settlement.requireAll();
            listener.settled(connection, settlement.outcomes());
            claims.claim();
            listener.claimedAgain(connection, retries(claims));
            claims.commit();
            anyHeld = claims.anyHeld();
            return claims.lanes().stream().collect(Collectors.toMap(LaneClaim::lease, LaneClaim::claim));
        });
    }

    private static List<ClaimedEvent> retries(Claims claims) {
        return claims.lanes().stream().flatMap(lane -> lane.retries().stream()).toList();
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        database.claimTransaction(() -> "reconcile " + lease, marks.lease(), c -> {
            LaneRequest request = new LaneRequest(lease, outcomes, 0);
            Claims claims = Claims.verified(c, List.of(request));
            Settlement.settleAgain(c, request, onSuccess);
            listener.settled(c, outcomes);
            claims.unclaimRetries();
            claims.commit();
            return lease;
        });
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
                c -> QueueDeadLetters.wakeHeld(Sql.on(c), lane, reasons, limit));
    }

    @Override
    public int prune(Duration age, int limit) {
        sweep.run();
        return database.transaction("remove old events", c -> {
            Sql sql = Sql.on(c);
            sql.dialect().refuseHiddenRows(c);
            LaneTable.pruneRelays(c);
            return sql.update(QueueStatements.of(sql).prune(), age.toMillis(), limit);
        });
    }
}

package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.admin.KeySweep;
import io.waybill.jdbc.internal.lane.ClaimMarks;
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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The queue engine: each event is a row that changes its state. */
public final class QueueStore implements OutboxStore {
    private final Transactions database;
    private final PublishedRow onSuccess;
    private final Settled settled;
    private final KeySweep sweep;
    private final ClaimMarks marks = new ClaimMarks();

    /** When last looked, which is a good guess for the next time. */
    private volatile boolean somethingHeld;

    /** What else happens in the transaction that settles a batch; it may come twice for one, see {@link #reconcile}. */
    @FunctionalInterface
    public interface Settled {
        void settled(Connection connection, List<PublishOutcome> outcomes) throws SQLException;
    }

    public QueueStore(Transactions database, PublishedRow onSuccess) {
        this(database, onSuccess, (connection, outcomes) -> {});
    }

    public QueueStore(Transactions database, PublishedRow onSuccess, Settled settled) {
        this.database = database;
        this.onSuccess = onSuccess;
        this.settled = settled;
        this.sweep = new KeySweep(
                database,
                dialect -> QueueStatements.of(dialect).nextKey(),
                new DeadLetterRepair(),
                (sql, key) -> ParkedEvents.free(sql, List.of(key)));
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        marks.lease(lease);
        return database.transaction(
                "renew the leases of relay " + report.name(),
                LaneTable.patience(lease),
                c -> LaneTable.heartbeat(c, report, lease, Engine.QUEUE, QueueStore::retryNow));
    }

    @Override
    public Optional<Lease> acquire(String relay, int lane, Duration lease) {
        return LaneTable.acquire(database, relay, lane, lease, QueueStore::recover);
    }

    /** Retries that wait for a time which a clock has counted that was set back since are due now. */
    private static void retryNow(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.update(QueueStatements.of(sql).retryNow);
    }

    /** What the last owner held when it ended goes back to pending, one failure richer: one of these may have ended it. */
    public static void recover(Connection connection, int lane) throws SQLException {
        Sql sql = Sql.on(connection);
        QueueStatements statements = QueueStatements.of(sql);
        recover(sql, statements.recoverFirstAttempts, ids(sql, statements.heldFirstAttempts, lane, lane, lane));
        sql.update(statements.closeClaim(), lane);
        recover(sql, statements.recoverRetries, ids(sql, statements.heldRetries, lane));
    }

    private static List<UUID> ids(Sql sql, String held, Object... lanes) throws SQLException {
        return sql.query(
                held,
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
        return database.query("look for events", c -> {
            Sql sql = Sql.on(c);
            return lanes(sql, QueueStatements.of(sql).ready(), lanes, lanes);
        });
    }

    /** Runs a look for work, with the settings that make it follow the indexes in the same round trip. */
    public static Set<Integer> lanes(Sql sql, String look, Object... parameters) throws SQLException {
        Set<Integer> found = new HashSet<>();
        StatementPipeline message = new StatementPipeline(sql);
        message.settings();
        message.query(look, rows -> found.addAll(numbers(rows)), parameters);
        message.send();
        return found;
    }

    /** The first column of all rows. */
    public static Set<Integer> numbers(ResultSet rows) throws SQLException {
        Set<Integer> numbers = new HashSet<>();
        while (rows.next()) {
            numbers.add(rows.getInt(1));
        }
        return numbers;
    }

    /** Any number of lanes cost the statements of one, but for retries that are due. */
    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> turns) {
        return marks.advance(database, turns, (connection, active) -> {
            Sql sql = Sql.on(connection);
            Claims claims = new Claims(sql, active, somethingHeld);
            Settlement settlement = Settlement.of(sql, active, onSuccess);
            StatementPipeline beginning = new StatementPipeline(sql);
            claims.prove(beginning);
            settlement.published(beginning);
            if (!settlement.hasOthers()) {
                claims.look(beginning);
            }
            beginning.send();
            for (int i = 0; i < active.size(); i++) {
                LaneRequest turn = active.get(i);
                marks.require(turn.lease(), claims.lanes().get(i).mark(), turn.outcomes());
            }
            settlement.others(sql);
            settlement.requireAll();
            settled.settled(connection, settlement.outcomes());
            claims.claim();
            claims.commit();
            somethingHeld = claims.somethingHeld();
            return claims.lanes().stream().collect(Collectors.toMap(LaneClaim::lease, LaneClaim::claim));
        });
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        database.claiming(() -> "put " + lease + " in order", marks.lease(), c -> {
            LaneRequest turn = new LaneRequest(lease, outcomes, 0);
            Claims claims = Claims.under(c, List.of(turn));
            Settlement.settleAgain(c, turn, onSuccess);
            settled.settled(c, outcomes);
            claims.abandon();
            claims.commit();
            return lease;
        });
    }

    @Override
    public int prune(Duration age, int limit) {
        sweep.run();
        return database.transaction("remove old events", c -> {
            Sql sql = Sql.on(c);
            sql.dialect().refuseHiddenRows(c);
            LaneTable.forgetRelays(c);
            return sql.update(QueueStatements.of(sql).prune(), age.toMillis(), limit);
        });
    }
}

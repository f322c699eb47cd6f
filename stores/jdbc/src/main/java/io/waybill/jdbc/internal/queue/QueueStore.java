package io.waybill.jdbc.internal.queue;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.internal.admin.KeySweep;
import io.waybill.jdbc.internal.lane.ClaimMarks;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Dialect;
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
    /** Where events wait, and where a retry is due. */
    public static final String READY = """
            SELECT l FROM unnest(?::int[]) l
            WHERE EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l
                          AND e.processed_at IS NULL AND e.next_attempt_at IS NULL)
            UNION ALL %s""".formatted(Claims.DUE_LANES);

    /** An array, because the planner would rather read the table than look up as many rows as it fears. */
    public static final String PRUNE = """
            DELETE FROM outbox_events WHERE id = ANY (ARRAY (
                SELECT id FROM outbox_events
                WHERE processed_at IS NOT NULL AND dead_at IS NULL
                  AND processed_at < now() - ? * interval '1 millisecond'
                ORDER BY processed_at LIMIT ? FOR UPDATE SKIP LOCKED))""";

    private static final String LOST = "last_error = 'The relay that held this event ended before it was settled.'";

    /**
     * Events of the range that were committed after the claim are counted with the rest; they cannot be told apart. Found first and
     * then changed by their ids, because on MariaDB a search also waits for the row behind the last one, which may be another
     * lane's, in the open transaction of a relay that is frozen.
     */
    private static final String HELD_FIRST_ATTEMPTS = """
            SELECT id FROM outbox_events
            WHERE outbox_lane(aggregate_id) = ? AND processed_at IS NULL AND next_attempt_at IS NULL
              AND seq >= (SELECT low FROM outbox_claims WHERE lane = ?)
              AND seq <= (SELECT high FROM outbox_claims WHERE lane = ?) FOR UPDATE SKIP LOCKED""";

    private static final String RECOVER_FIRST_ATTEMPTS =
            "UPDATE outbox_events SET retry_count = retry_count + 1, crash_count = crash_count + 1, " + LOST
                    + " WHERE id = ANY (?)";

    public static final String CLOSE_CLAIM =
            "UPDATE outbox_claims SET low = NULL, high = NULL WHERE lane = ? AND high IS NOT NULL";

    private static final String HELD_RETRIES = """
            SELECT id FROM outbox_events
            WHERE outbox_lane(aggregate_id) = ? AND processed_at IS NULL AND next_attempt_at < 'infinity' AND state = 'CLAIMED'
            FOR UPDATE SKIP LOCKED""";

    private static final String RECOVER_RETRIES =
            "UPDATE outbox_events SET state = 'PENDING', retry_count = retry_count + 1, crash_count = crash_count + 1,"
                    + " locked_by = NULL, locked_until = NULL, " + LOST + " WHERE id = ANY (?)";

    private static final String RETRY_NOW = """
            UPDATE outbox_events SET next_attempt_at = now()
            WHERE outbox_lane(aggregate_id) IN (SELECT l.lane FROM outbox_lanes l) AND processed_at IS NULL
              AND next_attempt_at < 'infinity' AND next_attempt_at > now() AND state = 'PENDING'""";

    private final Transactions database;
    private final JdbcQueue.OnSuccess onSuccess;
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

    public QueueStore(Transactions database, JdbcQueue.OnSuccess onSuccess) {
        this(database, onSuccess, (connection, outcomes) -> {});
    }

    public QueueStore(Transactions database, JdbcQueue.OnSuccess onSuccess, Settled settled) {
        this.database = database;
        this.onSuccess = onSuccess;
        this.settled = settled;
        this.sweep = new KeySweep(
                database,
                ParkedEvents.NEXT_KEY,
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
        Sql.on(connection).update(RETRY_NOW);
    }

    /** What the last owner held when it ended goes back to pending, one failure richer: one of these may have ended it. */
    public static void recover(Connection connection, int lane) throws SQLException {
        Sql sql = Sql.on(connection);
        recover(sql, RECOVER_FIRST_ATTEMPTS, ids(sql, HELD_FIRST_ATTEMPTS, lane, lane, lane));
        sql.update(CLOSE_CLAIM, lane);
        recover(sql, RECOVER_RETRIES, ids(sql, HELD_RETRIES, lane));
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
        return database.query("look for events", c -> lanes(Sql.on(c), READY, lanes, lanes));
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
            Settlement settlement = Settlement.of(active, onSuccess);
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
            Dialect.of(c).refuseHiddenRows(c);
            LaneTable.forgetRelays(c);
            return Sql.on(c).update(PRUNE, age.toMillis(), limit);
        });
    }
}

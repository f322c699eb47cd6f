package io.waybill.jdbc.internal.lane;

import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.Lease;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Acquires and releases leases of lanes. All times are {@code clock_timestamp()} of the database.
 *
 * <p>Three kinds of transactions lock the row of a lane. A relay that claims or settles locks it with KEY SHARE until it commits. A
 * {@link Heartbeat} updates it, which KEY SHARE allows. A take-over locks it with FOR UPDATE, which KEY SHARE excludes. Therefore a
 * lane never gets a new owner during a transaction of its current owner, and heartbeats never wait for a lock. On a database
 * without such locks, claims and take-overs lock the lane's row in {@code outbox_claims} instead, which heartbeats do not change.
 */
public final class LaneTable {
    /** The last error of an event that was in the claim of a relay when the relay crashed. */
    public static final String CRASH_ERROR = "The relay crashed while it held this event.";

    /** The largest number of lanes. One byte of a hash determines the lane of a key. */
    public static final int MAX_LANES = 256;

    /**
     * Sets the idle timeout of the transaction to the remaining time of the lease of {@code l}, unless the session has an idle
     * timeout. Without it, a relay that is frozen inside its transaction would keep its lanes locked until it continues.
     */
    public static final String SET_IDLE_TIMEOUT_TO_LEASE = """
            set_config('idle_in_transaction_session_timeout',
                              CASE WHEN current_setting('idle_in_transaction_session_timeout') <> '0'
                                   THEN current_setting('idle_in_transaction_session_timeout')
                                   ELSE CAST(CAST(least(2000000000, greatest(1000, extract(epoch FROM l.expires_at - clock_timestamp()) * 1000))
                                                  AS int) AS text) END, true)""";

    /** Makes the commit of the transaction durable, even if the session uses asynchronous commits. */
    public static final String SET_DURABLE_COMMIT = """
            set_config('synchronous_commit',
                       CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                            ELSE current_setting('synchronous_commit') END, true) AS durable""";

    private LaneTable() {}

    /** Releases the events that the last owner of a lane had claimed, in the transaction that takes the lane over. */
    @FunctionalInterface
    public interface Recovery {
        void recover(Connection connection, int lane) throws SQLException;
    }

    /** Returns the lock timeout for the thread that renews leases. It is short, so that one lock does not delay other leases. */
    public static Duration timeout(Duration lease) {
        Duration quarter = lease.dividedBy(4);
        return quarter.compareTo(Transactions.DEFAULT_TIMEOUT) < 0 ? quarter : Transactions.DEFAULT_TIMEOUT;
    }

    /** Returns empty if another relay owns the lane, or another transaction holds its locks. */
    public static Optional<Lease> acquire(
            Transactions database, String relay, int lane, Duration lease, Recovery recovery) {
        try {
            return database.transaction(
                    "acquire lane " + lane, timeout(lease), c -> acquire(c, relay, lane, lease, recovery));
        } catch (StoreException e) {
            if (SqlState.isLockTimeout(e)) {
                return Optional.empty(); // the caller continues with other lanes
            }
            throw e;
        }
    }

    /** Returns the lanes that a query selects. The settings that make it use the indexes are sent in the same round trip. */
    public static Set<Integer> select(Sql sql, String query, Object... parameters) throws SQLException {
        Set<Integer> lanes = new HashSet<>();
        StatementPipeline pipeline = new StatementPipeline(sql);
        pipeline.settings();
        pipeline.query(query, rows -> lanes.addAll(numbers(rows)), parameters);
        pipeline.send();
        return lanes;
    }

    /** Returns the lanes in the first column of all rows. */
    public static Set<Integer> numbers(ResultSet rows) throws SQLException {
        Set<Integer> numbers = new HashSet<>();
        while (rows.next()) {
            numbers.add(rows.getInt(1));
        }
        return numbers;
    }

    public static Optional<Lease> acquire(
            Connection connection, String relay, int lane, Duration lease, Recovery recovery) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.dialect().refuseHiddenRows(connection);
        Optional<String> lock = LaneStatements.of(sql).lockClaim;
        if (lock.isPresent() && !sql.exists(lock.get(), lane)) {
            return Optional.empty();
        }
        OptionalLong fence = sql.query(
                LaneStatements.of(sql).lockForTakeover,
                row -> row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty(),
                lane);
        if (fence.isEmpty()) {
            return Optional.empty();
        }
        sql.update(LaneStatements.of(sql).take, relay, lease.toMillis(), lane);
        recovery.recover(connection, lane);
        return Optional.of(new Lease(lane, relay, fence.getAsLong() + 1));
    }

    public static void release(Transactions database, Lease lease) {
        database.transaction("release " + lease, connection -> {
            release(connection, lease);
            return lease;
        });
    }

    private static void release(Connection connection, Lease lease) throws SQLException {
        Sql sql = Sql.on(connection);
        if (LaneStatements.of(sql).lockClaim.isPresent()) {
            sql.update(LaneStatements.of(sql).releaseClaim, lease.lane(), lease.relay(), lease.fence());
        }
        sql.update(LaneStatements.of(sql).release, lease.lane(), lease.relay(), lease.fence());
    }

    /** Releases all lanes of a relay and removes the relay from the roster. */
    public static void leave(Transactions database, String relay) {
        database.transaction("remove relay " + relay + " from the roster", connection -> {
            leave(connection, relay);
            return relay;
        });
    }

    private static void leave(Connection connection, String relay) throws SQLException {
        Sql sql = Sql.on(connection);
        List<Lease> leases = new ArrayList<>();
        sql.query(
                LaneStatements.of(sql).owned,
                rows -> {
                    while (rows.next()) {
                        leases.add(new Lease(rows.getInt(1), relay, rows.getLong(2)));
                    }
                    return leases;
                },
                relay);
        for (Lease lease : leases) {
            release(connection, lease);
        }
        sql.update("DELETE FROM outbox_relays WHERE name = ?", relay);
    }

    /** Deletes relays that expired long ago. */
    public static void pruneRelays(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.update(LaneStatements.of(sql).pruneRelays);
    }
}

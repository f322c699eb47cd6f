package io.waybill.jdbc.internal.lane;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.assumption.Assumptions;
import io.waybill.jdbc.internal.assumption.Violation;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.store.StoreException;
import io.waybill.store.StoreReplacedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Leases and the roll of relays. All times are {@code clock_timestamp()} of the database.
 *
 * <p>Row locks on a lane, by who takes them: a relay that claims or settles holds KEY SHARE on its lane until it commits; a
 * heartbeat updates the row, which KEY SHARE allows; a take-over wants FOR UPDATE, which KEY SHARE excludes. So a lane never
 * changes hands in the middle of its owner's transaction, and heartbeats wait for no lock. On a database without such
 * locks, claims and take-overs lock the lane's row of {@code outbox_claims}, which heartbeats do not touch.
 */
public final class LaneTable {
    /** The largest number of lanes: a lane is computed from one byte. */
    public static final int MOST_LANES = 256;

    /** A clock that is this much behind is not slow, it was set back. */
    private static final long STEP_MILLIS = 1_000;

    /**
     * A relay that is stopped inside its transaction would keep its lanes for as long as it is stopped. So PostgreSQL ends a
     * session that says nothing until the lease of {@code l} has run out, unless its own time is set.
     */
    public static final String END_WITH_LEASE = """
            set_config('idle_in_transaction_session_timeout',
                              CASE WHEN current_setting('idle_in_transaction_session_timeout') <> '0'
                                   THEN current_setting('idle_in_transaction_session_timeout')
                                   ELSE CAST(CAST(least(2000000000, greatest(1000, extract(epoch FROM l.expires_at - clock_timestamp()) * 1000))
                                                  AS int) AS text) END, true)""";

    /** For the transaction that settles and claims: its commit is durable. */
    public static final String DURABLE = """
            set_config('synchronous_commit',
                       CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                            ELSE current_setting('synchronous_commit') END, true) AS durable""";

    private LaneTable() {}

    /** What an engine does about retries once the database's clock was set back. */
    @FunctionalInterface
    public interface ClockStep {
        void setBack(Connection connection) throws SQLException;
    }

    public static RelayRoster heartbeat(
            Connection connection, RelayReport report, Duration lease, Engine engine, ClockStep clockStep)
            throws SQLException {
        Sql sql = Sql.on(connection);
        if (sql.exists(LaneStatements.of(sql).clockWasSetBack)) { // some relay has seen a later time
            clockStep.setBack(connection);
        }
        long millis = lease.toMillis();
        int listed = sql.update(
                LaneStatements.of(sql).beat,
                millis,
                report.publishedTotal(),
                report.publishedPerSecond(),
                report.serving(),
                report.name());
        if (listed == 0) {
            sql.insert( // another thread of the relay may do the same
                    LaneStatements.of(sql).enrol,
                    millis,
                    report.publishedTotal(),
                    report.publishedPerSecond(),
                    report.serving(),
                    report.name(),
                    report.place(),
                    report.version());
        }
        sql.update(LaneStatements.of(sql).renew, millis, report.name(), millis * 2 / 3);
        Map<String, Live> live = live(sql);
        RelayRoster roll = new RelayRoster(
                List.copyOf(live.keySet()),
                live.entrySet().stream()
                        .filter(relay -> relay.getValue().serving)
                        .map(Map.Entry::getKey)
                        .toList(),
                lanes(sql, engine, live, millis));
        requireAssumptions(connection, engine);
        return roll;
    }

    /**
     * A live relay.
     *
     * @param lease the length of its leases in milliseconds
     * @param serving whether it reaches its broker
     */
    private record Live(long lease, boolean serving) {}

    /**
     * The live relays by their names. One whose heartbeat lies in the future has written it before the database's clock was set back,
     * or a standby with another clock took over. It stays for the length of its lease from now on, not until the clock comes
     * there again.
     */
    private static Map<String, Live> live(Sql sql) throws SQLException {
        Map<String, Live> live = new LinkedHashMap<>();
        Map<String, Long> ahead = new LinkedHashMap<>();
        sql.query(LaneStatements.of(sql).liveRelays, rows -> {
            while (rows.next()) {
                live.put(rows.getString(1), new Live(rows.getLong(3), rows.getBoolean(4)));
                if (rows.getLong(2) > STEP_MILLIS) {
                    ahead.put(rows.getString(1), rows.getLong(3));
                }
            }
            return live;
        });
        for (Map.Entry<String, Long> relay : ahead.entrySet()) {
            sql.update(LaneStatements.of(sql).shortenStay, relay.getValue(), relay.getKey());
        }
        return live;
    }

    /**
     * All lanes. A lease that reaches further than its owner's leases are long is from before the clock was set back. It ends after
     * its length from now on, unless its owner lives and renews it.
     *
     * @param usual the length of a lease whose owner is not on the roll
     */
    private static List<RelayRoster.Ownership> lanes(Sql sql, Engine engine, Map<String, Live> live, long usual)
            throws SQLException {
        List<RelayRoster.Ownership> lanes = new ArrayList<>();
        sql.query(LaneStatements.of(sql).lanes, rows -> {
            while (rows.next()) {
                requireEngine(engine, rows.getString(5));
                lanes.add(new RelayRoster.Ownership(
                        rows.getInt(1), rows.getString(2), rows.getLong(3), Duration.ofMillis(rows.getLong(4))));
            }
            return lanes;
        });
        for (int i = 0; i < lanes.size(); i++) {
            RelayRoster.Ownership lane = lanes.get(i);
            Live owner = live.get(lane.owner());
            long length = owner == null ? usual : owner.lease;
            if (!lane.owner().isEmpty() && lane.remaining().toMillis() > length + STEP_MILLIS) {
                sql.update(LaneStatements.of(sql).shortenLease, length, lane.lane(), lane.owner(), lane.fence());
                lanes.set(
                        i,
                        new RelayRoster.Ownership(lane.lane(), lane.owner(), lane.fence(), Duration.ofMillis(length)));
            }
        }
        return List.copyOf(lanes);
    }

    /** Refuses to work on a database that does not have what the engine assumes. */
    public static void requireAssumptions(Connection connection, Engine engine) throws SQLException {
        List<Violation> violations = Assumptions.violations(connection, engine);
        if (!violations.isEmpty()) {
            throw new StoreException(
                    violations.stream().map(Violation::message).collect(Collectors.joining(" ")), null);
        }
    }

    /** Whoever moves the tables to another engine takes all lanes from their owners; this tells them why. */
    private static void requireEngine(Engine ours, String installed) {
        if (!ours.label().equals(installed)) {
            throw new StoreReplacedException("The tables were moved from the " + ours.label() + " engine to the "
                    + installed + " engine. Start the relay again with that one; nothing is lost meanwhile.");
        }
    }

    /** What an engine does about the claims of an owner that ended, in the transaction that has taken its lane. */
    @FunctionalInterface
    public interface Recovery {
        void recover(Connection connection, int lane) throws SQLException;
    }

    /** How long the thread that renews leases waits for somebody else's lock: it has others to renew. */
    public static Duration patience(Duration lease) {
        Duration quarter = lease.dividedBy(4);
        return quarter.compareTo(Transactions.PATIENCE) < 0 ? quarter : Transactions.PATIENCE;
    }

    /** Empty when another owns the lane, or somebody holds its locks. */
    public static Optional<Lease> acquire(
            Transactions database, String relay, int lane, Duration lease, Recovery recovery) {
        try {
            return database.transaction(
                    "take lane " + lane, patience(lease), c -> acquire(c, relay, lane, lease, recovery));
        } catch (StoreException e) {
            if (SqlState.waitedTooLong(e)) {
                return Optional.empty(); // the other lanes shall not wait for this one
            }
            throw e;
        }
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

    public static void release(Connection connection, Lease lease) throws SQLException {
        Sql sql = Sql.on(connection);
        if (LaneStatements.of(sql).lockClaim.isPresent()) {
            sql.update(LaneStatements.of(sql).releaseClaim, lease.lane(), lease.relay(), lease.fence());
        }
        sql.update(LaneStatements.of(sql).release, lease.lane(), lease.relay(), lease.fence());
    }

    public static void leave(Connection connection, String relay) throws SQLException {
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

    /** Relays long gone need no place on the roll. */
    public static void forgetRelays(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.update(LaneStatements.of(sql).forgetRelays);
    }
}

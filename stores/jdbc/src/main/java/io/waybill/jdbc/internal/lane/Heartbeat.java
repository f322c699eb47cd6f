package io.waybill.jdbc.internal.lane;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.assumption.Assumptions;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import io.waybill.store.StoreReplacedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The heartbeat of a relay: it renews the relay's leases and returns the roster of live relays and lanes. If the database's clock was
 * set back, or a standby with another clock was promoted, it also corrects expiry times that come from the old clock.
 */
public final class Heartbeat {
    /** If a time lies further in the future than this, the database's clock was set back. Smaller differences are normal. */
    private static final long CLOCK_TOLERANCE_MILLIS = 1_000;

    private Heartbeat() {}

    /** Corrects an engine's due times after the database's clock was set back. */
    @FunctionalInterface
    public interface ClockSetBack {
        void correct(Connection connection) throws SQLException;
    }

    public static RelayRoster send(
            Transactions database, RelayReport report, Duration lease, Engine engine, ClockSetBack clockSetBack) {
        return database.transaction(
                "renew the leases of relay " + report.name(),
                LaneTable.timeout(lease),
                connection -> send(connection, report, lease, engine, clockSetBack));
    }

    public static RelayRoster send(
            Connection connection, RelayReport report, Duration lease, Engine engine, ClockSetBack clockSetBack)
            throws SQLException {
        Sql sql = Sql.on(connection);
        LaneStatements statements = LaneStatements.of(sql);
        if (sql.exists(statements.clockWasSetBack)) { // a heartbeat of some relay lies in the future
            clockSetBack.correct(connection);
        }
        long millis = lease.toMillis();
        int updated = sql.update(
                statements.beat,
                millis,
                report.publishedTotal(),
                report.publishedPerSecond(),
                report.serving(),
                report.name());
        if (updated == 0) {
            sql.insert( // a no-op if another thread of this relay inserts the same row
                    statements.register,
                    millis,
                    report.publishedTotal(),
                    report.publishedPerSecond(),
                    report.serving(),
                    report.name(),
                    report.place(),
                    report.version());
        }
        sql.update(statements.renew, millis, report.name(), millis * 2 / 3);
        Map<String, LiveRelay> live = liveRelays(sql);
        RelayRoster roster = new RelayRoster(
                List.copyOf(live.keySet()),
                live.entrySet().stream()
                        .filter(relay -> relay.getValue().serving)
                        .map(Map.Entry::getKey)
                        .toList(),
                lanes(sql, engine, live, millis));
        Assumptions.require(connection, engine);
        return roster;
    }

    /**
     * A live relay.
     *
     * @param lease the length of its leases in milliseconds
     * @param serving whether the relay reported that it is serving
     */
    private record LiveRelay(long lease, boolean serving) {}

    /**
     * Returns the live relays by name. If the heartbeat of a relay lies in the future, the clock was set back after it. The
     * expiry time of such a relay is set to one lease from now; otherwise the relay would count as live until the clock reaches
     * the old time again.
     */
    private static Map<String, LiveRelay> liveRelays(Sql sql) throws SQLException {
        Map<String, LiveRelay> live = new LinkedHashMap<>();
        Map<String, Long> inFuture = new LinkedHashMap<>();
        sql.query(LaneStatements.of(sql).liveRelays, rows -> {
            while (rows.next()) {
                live.put(rows.getString(1), new LiveRelay(rows.getLong(3), rows.getBoolean(4)));
                if (rows.getLong(2) > CLOCK_TOLERANCE_MILLIS) {
                    inFuture.put(rows.getString(1), rows.getLong(3));
                }
            }
            return live;
        });
        for (Map.Entry<String, Long> relay : inFuture.entrySet()) {
            sql.update(LaneStatements.of(sql).shortenRegistration, relay.getValue(), relay.getKey());
        }
        return live;
    }

    /**
     * Returns all lanes. If a lease expires later than the length of its owner's leases allows, the clock was set back after it
     * was renewed. The expiry time of such a lease is set to one lease from now, unless its owner is live and renews it.
     *
     * @param defaultLease the length in milliseconds of a lease whose owner is not registered
     */
    private static List<RelayRoster.Ownership> lanes(
            Sql sql, Engine engine, Map<String, LiveRelay> live, long defaultLease) throws SQLException {
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
            LiveRelay owner = live.get(lane.owner());
            long length = owner == null ? defaultLease : owner.lease;
            if (!lane.owner().isEmpty() && lane.remaining().toMillis() > length + CLOCK_TOLERANCE_MILLIS) {
                sql.update(LaneStatements.of(sql).shortenLease, length, lane.lane(), lane.owner(), lane.fence());
                lanes.set(
                        i,
                        new RelayRoster.Ownership(lane.lane(), lane.owner(), lane.fence(), Duration.ofMillis(length)));
            }
        }
        return List.copyOf(lanes);
    }

    /** A migration to another engine takes all lanes from their owners. This exception contains the reason. */
    private static void requireEngine(Engine expected, String installed) {
        if (!expected.label().equals(installed)) {
            throw new StoreReplacedException("The tables were migrated from the " + expected.label()
                    + " engine to the " + installed + " engine. Restart the relay with the " + installed
                    + " engine. No event is lost in the meantime.");
        }
    }
}

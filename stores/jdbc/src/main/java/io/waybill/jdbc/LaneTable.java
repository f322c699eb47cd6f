package io.waybill.jdbc;

import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.store.Roll;
import io.waybill.store.StoreReplacedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Leases and the roll of relays. All times are {@code clock_timestamp()} of the database.
 *
 * <p>Row locks on a lane, by who takes them: a relay that claims or settles holds KEY SHARE on its lane until it commits; a
 * heartbeat updates the row, which KEY SHARE allows; a take-over wants FOR UPDATE, which KEY SHARE excludes. So a lane never
 * changes hands in the middle of its owner's transaction, and heartbeats wait for nobody.
 */
final class LaneTable {
    private static final String BEAT = """
            INSERT INTO outbox_relays (name, place, version, expires_at, published_total, published_per_second)
            VALUES (?, ?, ?, clock_timestamp() + ? * interval '1 millisecond', ?, ?)
            ON CONFLICT (name) DO UPDATE SET heartbeat_at = clock_timestamp(), expires_at = excluded.expires_at,
                published_total = excluded.published_total, published_per_second = excluded.published_per_second""";

    /** Renews only what has used up a third of its lease: a lane row is written a few times per lease, not every second. */
    private static final String RENEW = """
            UPDATE outbox_lanes SET expires_at = clock_timestamp() + ? * interval '1 millisecond'
            WHERE owner = ? AND expires_at < clock_timestamp() + ? * interval '1 millisecond'""";

    private static final String LANES = """
            SELECT lane, coalesce(owner, ''), fence,
                   (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint,
                   (SELECT engine FROM waybill_schema WHERE component = 'outbox')
            FROM outbox_lanes ORDER BY lane""";

    private static final String LIVE_RELAYS =
            "SELECT name FROM outbox_relays WHERE expires_at > clock_timestamp() ORDER BY name COLLATE \"C\"";

    private static final String LOCK_FOR_TAKEOVER = """
            SELECT 1 FROM outbox_lanes WHERE lane = ? AND (owner IS NULL OR expires_at <= clock_timestamp())
            FOR UPDATE SKIP LOCKED""";

    private static final String TAKE = """
            UPDATE outbox_lanes SET owner = ?, fence = fence + 1,
                expires_at = clock_timestamp() + ? * interval '1 millisecond'
            WHERE lane = ? RETURNING fence""";

    private static final String FORGET_RELAYS =
            "DELETE FROM outbox_relays WHERE expires_at < clock_timestamp() - interval '1 hour'";

    private static final String RELEASE =
            "UPDATE outbox_lanes SET owner = NULL, expires_at = clock_timestamp() WHERE lane = ? AND owner = ? AND fence = ?";

    private LaneTable() {}

    static Roll heartbeat(Connection connection, RelayReport report, Duration lease, Engine engine)
            throws SQLException {
        long millis = lease.toMillis();
        try (PreparedStatement beat = connection.prepareStatement(BEAT)) {
            beat.setString(1, report.name());
            beat.setString(2, report.place());
            beat.setString(3, report.version());
            beat.setLong(4, millis);
            beat.setLong(5, report.publishedTotal());
            beat.setDouble(6, report.publishedPerSecond());
            beat.executeUpdate();
        }
        try (PreparedStatement renew = connection.prepareStatement(RENEW)) {
            renew.setLong(1, millis);
            renew.setString(2, report.name());
            renew.setLong(3, millis * 2 / 3);
            renew.executeUpdate();
        }
        List<Roll.Ownership> lanes = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(LANES);
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                requireEngine(engine, rows.getString(5));
                lanes.add(new Roll.Ownership(
                        rows.getInt(1), rows.getString(2), rows.getLong(3), Duration.ofMillis(rows.getLong(4))));
            }
        }
        List<String> relays = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(LIVE_RELAYS);
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                relays.add(rows.getString(1));
            }
        }
        return new Roll(List.copyOf(relays), List.copyOf(lanes));
    }

    /** Whoever moves the tables to another engine takes all lanes from their owners; this tells them why. */
    private static void requireEngine(Engine ours, String installed) {
        if (!ours.label().equals(installed)) {
            throw new StoreReplacedException("The tables were moved from the " + ours.label() + " engine to the "
                    + installed + " engine. Start the relay again with that one; nothing is lost meanwhile.");
        }
    }

    /** What an engine does about the claims of an owner that ended, in the transaction that takes its lane. */
    @FunctionalInterface
    interface Recovery {
        void recover(Connection connection, int lane) throws SQLException;
    }

    static Optional<Lease> acquire(Connection connection, String relay, int lane, Duration lease, Recovery recovery)
            throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(LOCK_FOR_TAKEOVER)) {
            lock.setInt(1, lane);
            try (ResultSet row = lock.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
            }
        }
        recovery.recover(connection, lane);
        try (PreparedStatement take = connection.prepareStatement(TAKE)) {
            take.setString(1, relay);
            take.setLong(2, lease.toMillis());
            take.setInt(3, lane);
            try (ResultSet row = take.executeQuery()) {
                row.next();
                return Optional.of(new Lease(lane, relay, row.getLong(1)));
            }
        }
    }

    static void release(Connection connection, Lease lease) throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(RELEASE)) {
            release.setInt(1, lease.lane());
            release.setString(2, lease.relay());
            release.setLong(3, lease.fence());
            release.executeUpdate();
        }
    }

    static void leave(Connection connection, String relay) throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(
                        "UPDATE outbox_lanes SET owner = NULL, expires_at = clock_timestamp() WHERE owner = ?");
                PreparedStatement forget = connection.prepareStatement("DELETE FROM outbox_relays WHERE name = ?")) {
            release.setString(1, relay);
            release.executeUpdate();
            forget.setString(1, relay);
            forget.executeUpdate();
        }
    }

    /** Relays long gone need no place on the roll. */
    static void forgetRelays(Connection connection) throws SQLException {
        try (PreparedStatement forget = connection.prepareStatement(FORGET_RELAYS)) {
            forget.executeUpdate();
        }
    }
}

package io.waybill.jdbc;

import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.store.Roll;
import io.waybill.store.StoreException;
import io.waybill.store.StoreReplacedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Leases and the roll of relays. All times are {@code clock_timestamp()} of the database.
 *
 * <p>Row locks on a lane, by who takes them: a relay that claims or settles holds KEY SHARE on its lane until it commits; a
 * heartbeat updates the row, which KEY SHARE allows; a take-over wants FOR UPDATE, which KEY SHARE excludes. So a lane never
 * changes hands in the middle of its owner's transaction, and heartbeats wait for nobody. A database without such locks has
 * {@link Dialect#laneLock}, which claims and take-overs hold and heartbeats do not.
 */
final class LaneTable {
    private static final String BEAT = """
            UPDATE outbox_relays SET heartbeat_at = clock_timestamp(),
                expires_at = clock_timestamp() + ? * interval '1 millisecond', published_total = ?, published_per_second = ?,
                serving = ?
            WHERE name = ?""";

    private static final String ENROL = """
            INSERT INTO outbox_relays (expires_at, published_total, published_per_second, serving, name, place, version)
            VALUES (clock_timestamp() + ? * interval '1 millisecond', ?, ?, ?, ?, ?, ?)""";

    /** Renews only what has used up a third of its lease: a lane row is written a few times per lease, not every second. */
    private static final String RENEW = """
            UPDATE outbox_lanes SET expires_at = clock_timestamp() + ? * interval '1 millisecond'
            WHERE owner = ? AND expires_at < clock_timestamp() + ? * interval '1 millisecond'""";

    private static final String LANES = """
            SELECT lane, coalesce(owner, ''), fence,
                   CAST(extract(epoch FROM expires_at - clock_timestamp()) * 1000 AS bigint),
                   (SELECT engine FROM waybill_schema WHERE component = 'outbox')
            FROM outbox_lanes ORDER BY lane""";

    private static final String LIVE_RELAYS =
            "SELECT name, serving FROM outbox_relays WHERE expires_at > clock_timestamp() ORDER BY name COLLATE \"C\"";

    private static final String LOCK_FOR_TAKEOVER = """
            SELECT fence FROM outbox_lanes WHERE lane = ? AND (owner IS NULL OR expires_at <= clock_timestamp())
            FOR UPDATE SKIP LOCKED""";

    private static final String TAKE = """
            UPDATE outbox_lanes SET owner = ?, fence = fence + 1,
                expires_at = clock_timestamp() + ? * interval '1 millisecond'
            WHERE lane = ?""";

    private static final String FORGET_RELAYS =
            "DELETE FROM outbox_relays WHERE expires_at < clock_timestamp() - interval '1' hour";

    private static final String RELEASE =
            "UPDATE outbox_lanes SET owner = NULL, expires_at = clock_timestamp() WHERE lane = ? AND owner = ? AND fence = ?";

    /** Where the proof of fences locks the claims, these say whose they are. */
    private static final String RELEASE_CLAIM =
            "UPDATE outbox_claims SET owner = NULL WHERE lane = ? AND owner = ? AND fence = ?";

    private static final String OWNED = "SELECT lane, fence FROM outbox_lanes WHERE owner = ? ORDER BY lane";

    private static final String SKIP_LOCKED = " SKIP LOCKED";

    /**
     * A relay that is stopped inside its transaction would keep its lanes for as long as it is stopped. So PostgreSQL ends a
     * session that says nothing until the lease of {@code l} has run out, unless its own time is set.
     */
    static final String END_WITH_LEASE = """
            set_config('idle_in_transaction_session_timeout',
                              CASE WHEN current_setting('idle_in_transaction_session_timeout') <> '0'
                                   THEN current_setting('idle_in_transaction_session_timeout')
                                   ELSE CAST(CAST(least(2000000000, greatest(1000, extract(epoch FROM l.expires_at - clock_timestamp()) * 1000))
                                                  AS int) AS text) END, true)""";

    /**
     * For the transaction that settles and claims: its commit is durable; its statements are planned once, along the indexes. A
     * planner that knows the values plans anew each time, and believes its statistics, which are older than the backlog: it would
     * read the table, or collect all that is left of a lane to sort it, 40 microseconds for each event instead of one. Up to
     * PostgreSQL 17, what it is kept from may make the rest look so expensive that it would be compiled, for every claim. The
     * statements that follow fail where row-level security would hide rows from them.
     */
    static final String CLAIM_SETTINGS = """
            set_config('synchronous_commit',
                       CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                            ELSE current_setting('synchronous_commit') END, true) AS durable,
            set_config('plan_cache_mode', 'force_generic_plan', true) AS plans,
            set_config('enable_bitmapscan', 'off', true) AS bitmaps,
            set_config('enable_seqscan', 'off', true) AS scans, set_config('jit', 'off', true) AS jit,
            set_config('row_security', 'off', true) AS all_rows""";

    private LaneTable() {}

    static Roll heartbeat(Connection connection, RelayReport report, Duration lease, Engine engine)
            throws SQLException {
        Sql sql = Sql.on(connection);
        long millis = lease.toMillis();
        int listed = sql.update(
                BEAT, millis, report.publishedTotal(), report.publishedPerSecond(), report.serving(), report.name());
        if (listed == 0) {
            sql.insert( // another thread of the relay may do the same
                    ENROL,
                    millis,
                    report.publishedTotal(),
                    report.publishedPerSecond(),
                    report.serving(),
                    report.name(),
                    report.place(),
                    report.version());
        }
        sql.update(RENEW, millis, report.name(), millis * 2 / 3);
        List<Roll.Ownership> lanes = new ArrayList<>();
        List<String> relays = new ArrayList<>();
        List<String> serving = new ArrayList<>();
        sql.query(LANES, rows -> {
            while (rows.next()) {
                requireEngine(engine, rows.getString(5));
                lanes.add(new Roll.Ownership(
                        rows.getInt(1), rows.getString(2), rows.getLong(3), Duration.ofMillis(rows.getLong(4))));
            }
            return lanes;
        });
        sql.query(LIVE_RELAYS, rows -> {
            while (rows.next()) {
                relays.add(rows.getString(1));
                if (rows.getBoolean(2)) {
                    serving.add(rows.getString(1));
                }
            }
            return relays;
        });
        requireAssumptions(connection, engine);
        return new Roll(List.copyOf(relays), List.copyOf(serving), List.copyOf(lanes));
    }

    /** Refuses to work on a database that does not have what the engine assumes. */
    static void requireAssumptions(Connection connection, Engine engine) throws SQLException {
        List<Violation> violations = Dialect.of(connection).violations(connection, engine);
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
    interface Recovery {
        void recover(Connection connection, int lane) throws SQLException;
    }

    static Optional<Lease> acquire(Connection connection, String relay, int lane, Duration lease, Recovery recovery)
            throws SQLException {
        Sql sql = Sql.on(connection);
        sql.dialect().refuseHiddenRows(connection);
        Optional<String> lock = sql.dialect().laneLock();
        if (lock.isPresent() && !sql.exists(lock.get() + SKIP_LOCKED, List.of(lane))) {
            return Optional.empty();
        }
        OptionalLong fence = sql.query(
                LOCK_FOR_TAKEOVER, row -> row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty(), lane);
        if (fence.isEmpty()) {
            return Optional.empty();
        }
        sql.update(TAKE, relay, lease.toMillis(), lane);
        recovery.recover(connection, lane);
        return Optional.of(new Lease(lane, relay, fence.getAsLong() + 1));
    }

    static void release(Connection connection, Lease lease) throws SQLException {
        Sql sql = Sql.on(connection);
        if (sql.dialect().laneLock().isPresent()) {
            sql.update(RELEASE_CLAIM, lease.lane(), lease.relay(), lease.fence());
        }
        sql.update(RELEASE, lease.lane(), lease.relay(), lease.fence());
    }

    static void leave(Connection connection, String relay) throws SQLException {
        Sql sql = Sql.on(connection);
        List<Lease> leases = new ArrayList<>();
        sql.query(
                OWNED,
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
    static void forgetRelays(Connection connection) throws SQLException {
        Sql.on(connection).update(FORGET_RELAYS);
    }
}

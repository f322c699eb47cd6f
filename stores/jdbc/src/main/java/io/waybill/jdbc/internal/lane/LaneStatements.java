package io.waybill.jdbc.internal.lane;

import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.jdbc.internal.sql.Sql;
import java.util.Optional;

/** The statements on {@code outbox_lanes} and {@code outbox_relays}. */
final class LaneStatements {
    private static final PerDialect<LaneStatements> STATEMENTS = new PerDialect<>(LaneStatements::new);

    final String beat;
    final String register;

    /** Renews only leases of which a third has passed. A lane's row is therefore written a few times per lease, not every second. */
    final String renew;

    final String lanes;
    final String liveRelays;
    final String clockWasSetBack;
    final String shortenLease;
    final String shortenRegistration;
    final String lockForTakeover;
    final String take;
    final String pruneRelays;
    final String release;
    final String owned = "SELECT lane, fence FROM outbox_lanes WHERE owner = ? ORDER BY lane";

    /**
     * Locks the lane's row in {@code outbox_claims} before a take-over. Empty on PostgreSQL, where heartbeats can update a lane's row
     * that a claim has locked.
     */
    final Optional<String> lockClaim;

    /** Used only on databases where {@link #lockClaim} is present: their {@code outbox_claims} repeats the owner of the lane. */
    final String releaseClaim = "UPDATE outbox_claims SET owner = NULL WHERE lane = ? AND owner = ? AND fence = ?";

    private LaneStatements(Dialect dialect) {
        String clock = dialect.clock();
        String expiry = dialect.plusMillis(clock);
        beat = "UPDATE outbox_relays SET heartbeat_at = " + clock + ", expires_at = " + expiry
                + ", published_total = ?, published_per_second = ?, serving = ? WHERE name = ?";
        register = "INSERT INTO outbox_relays"
                + " (expires_at, published_total, published_per_second, serving, name, place, version)"
                + " VALUES (" + expiry + ", ?, ?, ?, ?, ?, ?)";
        renew = "UPDATE outbox_lanes SET expires_at = " + expiry + " WHERE owner = ? AND expires_at < " + expiry;
        lanes = "SELECT lane, coalesce(owner, ''), fence, " + millisBetween(dialect, clock, "expires_at")
                + ", (SELECT engine FROM waybill_schema WHERE component = 'outbox') FROM outbox_lanes ORDER BY lane";
        liveRelays = "SELECT name, " + millisBetween(dialect, clock, "heartbeat_at") + ", "
                + millisBetween(dialect, "heartbeat_at", "expires_at") + ", serving"
                + " FROM outbox_relays WHERE expires_at > " + clock + " ORDER BY " + dialect.bytewise("name");
        clockWasSetBack =
                "SELECT 1 FROM outbox_relays WHERE heartbeat_at > " + clock + " + interval '1' second LIMIT 1";
        shortenLease = "UPDATE outbox_lanes SET expires_at = " + expiry + " WHERE lane = ? AND owner = ? AND fence = ?";
        shortenRegistration = "UPDATE outbox_relays SET heartbeat_at = " + clock + ", expires_at = " + expiry
                + " WHERE name = ? AND heartbeat_at > " + clock;
        lockForTakeover = "SELECT fence FROM outbox_lanes WHERE lane = ? AND (owner IS NULL OR expires_at <= " + clock
                + ") FOR UPDATE SKIP LOCKED";
        take = "UPDATE outbox_lanes SET owner = ?, fence = fence + 1, expires_at = " + expiry + " WHERE lane = ?";
        pruneRelays = "DELETE FROM outbox_relays WHERE expires_at < " + clock + " - interval '1' hour";
        release = "UPDATE outbox_lanes SET owner = NULL, expires_at = " + clock
                + " WHERE lane = ? AND owner = ? AND fence = ?";
        Optional<String> lock = Optional.of("SELECT 1 FROM outbox_claims WHERE lane = ? FOR UPDATE SKIP LOCKED");
        lockClaim = dialect.choose(Optional.empty(), lock, lock);
    }

    static LaneStatements of(Sql sql) {
        return STATEMENTS.of(sql.dialect());
    }

    private static String millisBetween(Dialect dialect, String from, String to) {
        return dialect.asBigint(dialect.secondsBetween(from, to) + " * 1000");
    }
}

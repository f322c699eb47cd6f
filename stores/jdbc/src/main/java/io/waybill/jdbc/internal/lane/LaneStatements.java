package io.waybill.jdbc.internal.lane;

import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.PerDialect;
import io.waybill.jdbc.internal.sql.Sql;
import java.util.Optional;

/** The statements on lanes and relays. */
final class LaneStatements {
    private static final PerDialect<LaneStatements> STATEMENTS = new PerDialect<>(LaneStatements::new);

    final String beat;
    final String enrol;

    /** Renews only leases of which a third has passed: a lane's row is written a few times per lease, not every second. */
    final String renew;

    final String lanes;
    final String liveRelays;
    final String clockWasSetBack;
    final String shortenLease;
    final String shortenStay;
    final String lockForTakeover;
    final String take;
    final String forgetRelays;
    final String release;
    final String owned = "SELECT lane, fence FROM outbox_lanes WHERE owner = ? ORDER BY lane";

    /**
     * Locks the lane's row of {@code outbox_claims} before a take-over. Empty on PostgreSQL, where a lock on the lane's own row lets
     * heartbeats pass.
     */
    final Optional<String> lockClaim;

    /** The rows of {@code outbox_claims} name the lane's owner where {@link #lockClaim} locks them. */
    final String releaseClaim = "UPDATE outbox_claims SET owner = NULL WHERE lane = ? AND owner = ? AND fence = ?";

    private LaneStatements(Dialect dialect) {
        String clock = dialect.clock();
        String later = dialect.plusMillis(clock);
        beat = "UPDATE outbox_relays SET heartbeat_at = " + clock + ", expires_at = " + later
                + ", published_total = ?, published_per_second = ?, serving = ? WHERE name = ?";
        enrol = "INSERT INTO outbox_relays"
                + " (expires_at, published_total, published_per_second, serving, name, place, version)"
                + " VALUES (" + later + ", ?, ?, ?, ?, ?, ?)";
        renew = "UPDATE outbox_lanes SET expires_at = " + later + " WHERE owner = ? AND expires_at < " + later;
        lanes = "SELECT lane, coalesce(owner, ''), fence, " + millisBetween(dialect, clock, "expires_at")
                + ", (SELECT engine FROM waybill_schema WHERE component = 'outbox') FROM outbox_lanes ORDER BY lane";
        liveRelays = "SELECT name, " + millisBetween(dialect, clock, "heartbeat_at") + ", "
                + millisBetween(dialect, "heartbeat_at", "expires_at") + ", serving"
                + " FROM outbox_relays WHERE expires_at > " + clock + " ORDER BY " + dialect.bytewise("name");
        clockWasSetBack =
                "SELECT 1 FROM outbox_relays WHERE heartbeat_at > " + clock + " + interval '1' second LIMIT 1";
        shortenLease = "UPDATE outbox_lanes SET expires_at = " + later + " WHERE lane = ? AND owner = ? AND fence = ?";
        shortenStay = "UPDATE outbox_relays SET heartbeat_at = " + clock + ", expires_at = " + later
                + " WHERE name = ? AND heartbeat_at > " + clock;
        lockForTakeover = "SELECT fence FROM outbox_lanes WHERE lane = ? AND (owner IS NULL OR expires_at <= " + clock
                + ") FOR UPDATE SKIP LOCKED";
        take = "UPDATE outbox_lanes SET owner = ?, fence = fence + 1, expires_at = " + later + " WHERE lane = ?";
        forgetRelays = "DELETE FROM outbox_relays WHERE expires_at < " + clock + " - interval '1' hour";
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

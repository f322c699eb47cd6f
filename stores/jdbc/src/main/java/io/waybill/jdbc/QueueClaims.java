package io.waybill.jdbc;

import io.waybill.store.Claimed;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Claims events of a lane, row by row, in order per key.
 *
 * <p>Only the lane's owner claims in it, one batch at a time, after the last one was settled in the same transaction. So
 * whatever is still CLAIMED when a claim begins belongs to an owner who is gone (its fence is not ours: the event counts
 * one more failure) or to a transaction of our own whose answer got lost (it counts none). No separate recovery exists.
 *
 * <p>An event whose key is held back, because an earlier one waits for a retry or for a person, is parked instead of
 * claimed and leaves the index that claims read.
 *
 * <p>Each event weighs 8 to the power of the relays that ended while holding it, and a batch weighs no more than its limit,
 * unless it is that one event. So an event that kills its relays soon travels alone, and only itself reaches the limit.
 *
 * <p>Relays never wait for each other's row locks, since a lane has one owner. A lock of somebody else, a person in psql,
 * would stop the lane: after a short wait the claim is repeated with SKIP LOCKED, which costs more because it must also
 * leave out the later events of the locked one's key. SKIP LOCKED alone would let them overtake it.
 */
final class QueueClaims {
    /** How long a claim waits for a row that somebody else has locked before it goes around it. */
    private static final String LOCK_PATIENCE = "250ms";

    private static final String FENCE = """
            SELECT l.expires_at,
                   set_config('synchronous_commit',
                              CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                                   ELSE current_setting('synchronous_commit') END, true),
                   set_config('lock_timeout', '%s', true),
                   EXISTS (SELECT 1 FROM outbox_events e WHERE e.lane = l.lane AND e.processed_at IS NULL
                           AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now())
            FROM outbox_lanes l WHERE l.lane = ? AND l.owner = ? AND l.fence = ?
            FOR KEY SHARE OF l""".formatted(LOCK_PATIENCE);

    private static final String LOCKED_KEYS = """
            free AS MATERIALIZED (
                SELECT ctid AS row FROM outbox_events WHERE ctid = ANY (ARRAY(SELECT row FROM next))
                FOR NO KEY UPDATE SKIP LOCKED),
            locked AS (
                SELECT aggregate_id, min(seq) AS seq FROM next WHERE row NOT IN (SELECT row FROM free) GROUP BY 1),
            """;

    private static final String UNLOCKED =
            "AND NOT EXISTS (SELECT 1 FROM locked l WHERE l.aggregate_id = n.aggregate_id AND l.seq <= n.seq)";

    private static final String CLAIM = """
            WITH next AS (
                SELECT ctid AS row, seq, aggregate_id,
                       (state = 'CLAIMED' AND fence <> ?)::int AS crashed, crash_count
                FROM outbox_events
                WHERE lane = ? AND processed_at IS NULL AND {which}
                ORDER BY {order} LIMIT ?),
            {locked keys}
            chosen AS MATERIALIZED (
                SELECT n.row, n.crashed, {held} AS held
                FROM (SELECT *, sum(8 ^ least(crash_count + crashed, 6)) OVER (ORDER BY seq) AS weight,
                             row_number() OVER (ORDER BY seq) AS place FROM next) n
                WHERE (n.place = 1 OR n.weight <= ?) {unlocked})
            UPDATE outbox_events e
            SET state = CASE WHEN c.held THEN 'PARKED' ELSE 'CLAIMED' END,
                next_attempt_at = CASE WHEN c.held THEN 'infinity'::timestamptz ELSE e.next_attempt_at END,
                locked_by = CASE WHEN c.held THEN NULL ELSE ? END,
                locked_until = CASE WHEN c.held THEN NULL ELSE ?::timestamptz END,
                fence = ?,
                retry_count = e.retry_count + c.crashed,
                crash_count = e.crash_count + c.crashed
            FROM chosen c WHERE e.ctid = c.row
            RETURNING {columns}, e.seq, e.retry_count, e.next_attempt_at IS NOT NULL,
                (extract(epoch FROM clock_timestamp() - e.created_at) * 1000000)::bigint, c.held""";

    private static final String CLAIM_WAITING = CLAIM.replace("{which}", "next_attempt_at IS NULL")
            .replace("{order}", "seq")
            .replace("{held}", """
                    EXISTS (SELECT 1 FROM outbox_events h WHERE h.aggregate_id = n.aggregate_id
                                AND h.processed_at IS NULL AND h.next_attempt_at IS NOT NULL AND h.seq < n.seq)""")
            .replace("{columns}", EventRows.COLUMNS);

    private static final String CLAIM_DUE = CLAIM.replace(
                    "{which}", "next_attempt_at < 'infinity' AND next_attempt_at <= now()")
            .replace("{order}", "next_attempt_at")
            .replace("{held}", "false")
            .replace("{columns}", EventRows.COLUMNS);

    private final Connection connection;
    private final Lease lease;
    private final OffsetDateTime until;
    private final boolean due;

    private QueueClaims(Connection connection, Lease lease, OffsetDateTime until, boolean due) {
        this.connection = connection;
        this.lease = lease;
        this.until = until;
        this.due = due;
    }

    /** Proves that the lane is ours until this transaction ends, and makes its commit a durable one. */
    static QueueClaims under(Connection connection, Lease lease) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(FENCE)) {
            query.setInt(1, lease.lane());
            query.setString(2, lease.relay());
            query.setLong(3, lease.fence());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new FencedException(lease);
                }
                return new QueueClaims(connection, lease, row.getObject(1, OffsetDateTime.class), row.getBoolean(4));
            }
        }
    }

    /** @param around whether to go around rows that somebody else has locked */
    List<Claimed> claim(int limit, boolean around) throws SQLException {
        List<Claimed> claims = new ArrayList<>();
        if (due) {
            claim(variant(CLAIM_DUE, around), limit, claims);
        }
        boolean more = claims.size() < limit && claims.stream().noneMatch(QueueClaims::suspect);
        while (more) {
            int before = claims.size();
            int seen = claim(variant(CLAIM_WAITING, around), limit - before, claims);
            more = claims.isEmpty() && seen > 0; // nothing but events to park: look behind them
        }
        claims.sort(Comparator.comparingLong(Claimed::position));
        return claims;
    }

    private static String variant(String claim, boolean around) {
        return claim.replace("{locked keys}", around ? LOCKED_KEYS : "").replace("{unlocked}", around ? UNLOCKED : "");
    }

    private static boolean suspect(Claimed claimed) {
        return claimed.retryCount() > 0;
    }

    private int claim(String sql, int limit, List<Claimed> claims) throws SQLException {
        int seen = 0;
        try (PreparedStatement claim = connection.prepareStatement(sql)) {
            claim.setLong(1, lease.fence());
            claim.setInt(2, lease.lane());
            claim.setInt(3, limit);
            claim.setInt(4, limit);
            claim.setString(5, lease.relay());
            claim.setObject(6, until);
            claim.setLong(7, lease.fence());
            try (ResultSet row = claim.executeQuery()) {
                while (row.next()) {
                    seen++;
                    if (!row.getBoolean(EventRows.COUNT + 5)) {
                        claims.add(new Claimed(
                                EventRows.event(row),
                                row.getLong(EventRows.COUNT + 1),
                                row.getInt(EventRows.COUNT + 2),
                                row.getBoolean(EventRows.COUNT + 3),
                                Duration.ofNanos(Math.max(0, row.getLong(EventRows.COUNT + 4)) * 1_000)));
                    }
                }
            }
        }
        return seen;
    }
}

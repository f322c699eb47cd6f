package io.waybill.jdbc;

import io.waybill.store.Claimed;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * Claims events of a lane, in order per key.
 *
 * <p>Only the lane's owner claims in it, one batch at a time, after the last one was settled in the same transaction. A
 * first attempt is claimed without touching its row: the lane's row in {@code outbox_claims} says from which to which
 * sequence number the open claim reaches. Committing that row durably is what makes the claim, and every commit that its
 * events came from, safe before anything is sent. A retry, which is rare, is marked CLAIMED in its own row. Whoever takes
 * the lane over finds both and counts them as failed.
 *
 * <p>An event whose key is held back, because an earlier one waits for a retry or for a person, is parked instead of
 * claimed and leaves the index that claims read.
 *
 * <p>Each event weighs 8 to the power of the relays that ended while holding it, and a batch weighs no more than its limit,
 * unless it is that one event. So an event that kills its relays soon travels alone, and only itself reaches the limit.
 */
final class QueueClaims {
    private static final String FENCE = """
            SELECT l.expires_at,
                   set_config('synchronous_commit',
                              CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                                   ELSE current_setting('synchronous_commit') END, true),
                   EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                           AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now()),
                   (SELECT c.xmin::text::bigint FROM outbox_claims c WHERE c.lane = l.lane)
            FROM outbox_lanes l WHERE l.lane = ? AND l.owner = ? AND l.fence = ?
            FOR KEY SHARE OF l""";

    private static final String POSITION = ", e.seq, e.retry_count, e.next_attempt_at IS NOT NULL,"
            + " (date_part('epoch', clock_timestamp() - e.created_at) * 1000000)::bigint";

    /** Looks for what holds an event's key back only where anything is held back at all, which is asked once. */
    static final String WAITING = "SELECT " + EventRows.COLUMNS + POSITION + """
            , CASE WHEN (SELECT EXISTS (SELECT 1 FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NOT NULL))
                   THEN EXISTS (SELECT 1 FROM outbox_events h WHERE h.aggregate_id = e.aggregate_id
                                AND h.processed_at IS NULL AND h.next_attempt_at IS NOT NULL AND h.seq < e.seq)
                   ELSE false END,
            e.crash_count
            FROM outbox_events e
            WHERE outbox_lane(e.aggregate_id) = ? AND e.processed_at IS NULL AND e.next_attempt_at IS NULL
            ORDER BY e.seq LIMIT ?""";

    private static final String CLAIM_DUE = """
            WITH due AS (
                SELECT id, seq, crash_count FROM outbox_events
                WHERE outbox_lane(aggregate_id) = ? AND processed_at IS NULL AND next_attempt_at < 'infinity' AND next_attempt_at <= now()
                ORDER BY next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED),
            chosen AS (
                SELECT id FROM (SELECT id, sum(8 ^ least(crash_count, 6)) OVER by_seq AS weight,
                                       row_number() OVER by_seq AS place
                                FROM due WINDOW by_seq AS (ORDER BY seq)) d
                WHERE place = 1 OR weight <= ?)
            UPDATE outbox_events e SET state = 'CLAIMED', locked_by = ?, locked_until = ?
            FROM chosen c WHERE e.id = c.id
            """ + "RETURNING " + EventRows.COLUMNS + POSITION + ", e.crash_count > 0";

    private static final String PARK =
            "UPDATE outbox_events SET state = 'PARKED', next_attempt_at = 'infinity' WHERE id = ANY (?)";

    private static final String RECORD =
            "UPDATE outbox_claims SET low = ?, high = ? WHERE lane = ? AND (high IS NOT NULL OR ?::bigint IS NOT NULL)"
                    + " RETURNING xmin::text::bigint";

    private static final String UNCLAIM_RETRIES = """
            UPDATE outbox_events SET state = 'PENDING', locked_by = NULL, locked_until = NULL
            WHERE outbox_lane(aggregate_id) = ? AND processed_at IS NULL AND next_attempt_at < 'infinity' AND state = 'CLAIMED'""";

    private final Connection connection;
    private final Lease lease;
    private final OffsetDateTime until;
    private final boolean due;
    private long mark;

    private QueueClaims(Connection connection, Lease lease, OffsetDateTime until, boolean due, long mark) {
        this.connection = connection;
        this.lease = lease;
        this.until = until;
        this.due = due;
        this.mark = mark;
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
                return new QueueClaims(
                        connection, lease, row.getObject(1, OffsetDateTime.class), row.getBoolean(3), row.getLong(4));
            }
        }
    }

    /** Of the transaction that recorded the lane's open claim, for {@link ClaimMarks}. */
    long mark() {
        return mark;
    }

    /** Closes the lane's last claim, which must be settled by now, and opens the next. */
    List<Claimed> claim(int limit) throws SQLException {
        List<Claimed> claims = new ArrayList<>();
        boolean suspects = due && limit > 0 && claimDue(Math.max(1, limit / 2), claims);
        List<Claimed> first = suspects ? List.of() : claimWaiting(limit - claims.size());
        record(first);
        claims.addAll(first);
        claims.sort(Comparator.comparingLong(Claimed::position));
        return claims;
    }

    /** Gives back whatever the lease still holds, uncounted. */
    void abandon() throws SQLException {
        record(List.of());
        try (PreparedStatement unclaim = connection.prepareStatement(UNCLAIM_RETRIES)) {
            unclaim.setInt(1, lease.lane());
            unclaim.executeUpdate();
        }
    }

    /** @return whether one of these may have ended its last relay, so that nothing else should keep it company */
    private boolean claimDue(int limit, List<Claimed> claims) throws SQLException {
        boolean suspects = false;
        try (PreparedStatement claim = connection.prepareStatement(CLAIM_DUE)) {
            claim.setInt(1, lease.lane());
            claim.setInt(2, limit);
            claim.setInt(3, limit);
            claim.setString(4, lease.relay());
            claim.setObject(5, until);
            try (ResultSet row = claim.executeQuery()) {
                while (row.next()) {
                    claims.add(claimed(row));
                    suspects |= row.getBoolean(EventRows.COUNT + 5);
                }
            }
        }
        return suspects;
    }

    /** Parks what is held back and looks behind it, until there is something to claim or nothing more to see. */
    private List<Claimed> claimWaiting(int limit) throws SQLException {
        List<Claimed> free = new ArrayList<>();
        List<UUID> held = new ArrayList<>();
        while (limit > 0) {
            held.clear();
            lookAtWaiting(limit, free, held);
            if (!held.isEmpty()) {
                try (PreparedStatement park = connection.prepareStatement(PARK)) {
                    park.setArray(1, connection.createArrayOf("uuid", held.toArray()));
                    park.executeUpdate();
                }
            }
            if (!free.isEmpty() || held.isEmpty()) {
                break;
            }
        }
        return free;
    }

    private void lookAtWaiting(int limit, List<Claimed> free, List<UUID> held) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(WAITING)) {
            query.setInt(1, lease.lane());
            query.setInt(2, limit);
            try (ResultSet row = query.executeQuery()) {
                double weight = 0;
                while (row.next()) {
                    if (row.getBoolean(EventRows.COUNT + 5)) {
                        held.add(row.getObject(1, UUID.class));
                        continue;
                    }
                    weight += Math.pow(8, Math.min(row.getInt(EventRows.COUNT + 6), 6));
                    if (weight > limit && !free.isEmpty()) {
                        return; // too heavy for this batch, and nothing later may pass it
                    }
                    free.add(claimed(row));
                }
            }
        }
    }

    /** The range may cover open events that are parked now; it serves only to count failures when its owner ends. */
    private void record(List<Claimed> first) throws SQLException {
        try (PreparedStatement record = connection.prepareStatement(RECORD)) {
            Long low = first.isEmpty() ? null : first.get(0).position();
            Long high = first.isEmpty() ? null : first.get(first.size() - 1).position();
            record.setObject(1, low, Types.BIGINT);
            record.setObject(2, high, Types.BIGINT);
            record.setInt(3, lease.lane());
            record.setObject(4, high, Types.BIGINT);
            try (ResultSet row = record.executeQuery()) {
                if (row.next()) {
                    mark = row.getLong(1);
                }
            }
        }
    }

    private static Claimed claimed(ResultSet row) throws SQLException {
        return new Claimed(
                EventRows.event(row),
                row.getLong(EventRows.COUNT + 1),
                row.getInt(EventRows.COUNT + 2),
                row.getBoolean(EventRows.COUNT + 3),
                Duration.ofNanos(Math.max(0, row.getLong(EventRows.COUNT + 4)) * 1_000));
    }
}

package io.waybill.jdbc;

import io.waybill.store.Claimed;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

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
    static final String FENCE = """
            SELECT l.expires_at,
                   set_config('synchronous_commit',
                              CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                                   ELSE current_setting('synchronous_commit') END, true),
                   EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                           AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now()),
                   (SELECT CAST(CAST(c.xmin AS text) AS bigint) FROM outbox_claims c WHERE c.lane = l.lane)
            FROM outbox_lanes l WHERE l.lane = ? AND l.owner = ? AND l.fence = ?
            FOR KEY SHARE OF l""";

    private static final String POSITION = ", e.seq, e.retry_count, e.next_attempt_at IS NOT NULL,"
            + " CAST(date_part('epoch', clock_timestamp() - e.created_at) * 1000000 AS bigint)";

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

    static final String DUE = "SELECT " + EventRows.COLUMNS + POSITION + """
            , e.crash_count FROM outbox_events e
            WHERE outbox_lane(e.aggregate_id) = ? AND e.processed_at IS NULL AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now()
            ORDER BY e.next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED""";

    private static final String CLAIM_DUE =
            "UPDATE outbox_events SET state = 'CLAIMED', locked_by = ?, locked_until = ? WHERE id = ANY (?)";

    private static final String PARK =
            "UPDATE outbox_events SET state = 'PARKED', next_attempt_at = 'infinity' WHERE id = ANY (?)";

    static final String RECORD =
            "UPDATE outbox_claims SET low = ?, high = ? WHERE lane = ? AND (high IS NOT NULL OR CAST(? AS bigint) IS NOT NULL)";

    /** Which transaction wrote the row. */
    private static final String MARK = " RETURNING CAST(CAST(xmin AS text) AS bigint)";

    private static final String UNCLAIM_RETRIES = """
            UPDATE outbox_events SET state = 'PENDING', locked_by = NULL, locked_until = NULL
            WHERE outbox_lane(aggregate_id) = ? AND processed_at IS NULL AND next_attempt_at < 'infinity' AND state = 'CLAIMED'""";

    private final Sql sql;
    private final Lease lease;
    private final @Nullable Instant until;
    private final boolean due;
    private long mark;

    private QueueClaims(Sql sql, Lease lease, @Nullable Instant until, boolean due, long mark) {
        this.sql = sql;
        this.lease = lease;
        this.until = until;
        this.due = due;
        this.mark = mark;
    }

    /** Proves that the lane is ours until this transaction ends, and makes its commit a durable one. */
    static QueueClaims under(Connection connection, Lease lease) throws SQLException {
        Sql sql = Sql.on(connection);
        Optional<String> lock = sql.dialect().laneLock();
        if (lock.isPresent()) {
            sql.exists(lock.get(), lease.lane());
        }
        return sql.query(
                FENCE,
                row -> {
                    if (!row.next()) {
                        throw new FencedException(lease);
                    }
                    Instant until = sql.dialect().instant(row, 1);
                    return new QueueClaims(sql, lease, until, row.getBoolean(3), row.getLong(4));
                },
                lease.lane(),
                lease.relay(),
                lease.fence());
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
        sql.update(UNCLAIM_RETRIES, lease.lane());
    }

    /** @return whether one of these may have ended its last relay, so that nothing else should keep it company */
    private boolean claimDue(int limit, List<Claimed> claims) throws SQLException {
        record Due(Claimed claimed, int crashes) {}
        List<Due> found = new ArrayList<>();
        sql.query(
                DUE,
                row -> {
                    while (row.next()) {
                        found.add(new Due(claimed(row), row.getInt(EventRows.COUNT + 5)));
                    }
                    return found;
                },
                lease.lane(),
                limit);
        found.sort(Comparator.comparingLong(one -> one.claimed.position()));
        boolean suspects = false;
        double weight = 0;
        for (Due one : found) {
            weight += weight(one.crashes);
            if (weight > limit && !claims.isEmpty()) {
                break;
            }
            claims.add(one.claimed);
            suspects |= one.crashes > 0;
        }
        if (!claims.isEmpty()) {
            sql.update(
                    CLAIM_DUE,
                    lease.relay(),
                    until,
                    claims.stream().map(claimed -> claimed.event().id()).toList());
        }
        return suspects;
    }

    private static double weight(int crashes) {
        return Math.pow(8, Math.min(crashes, 6));
    }

    /** Parks what is held back and looks behind it, until there is something to claim or nothing more to see. */
    private List<Claimed> claimWaiting(int limit) throws SQLException {
        List<Claimed> free = new ArrayList<>();
        List<UUID> held = new ArrayList<>();
        while (limit > 0) {
            held.clear();
            lookAtWaiting(limit, free, held);
            if (!held.isEmpty()) {
                sql.update(PARK, held);
            }
            if (!free.isEmpty() || held.isEmpty()) {
                break;
            }
        }
        return free;
    }

    private void lookAtWaiting(int limit, List<Claimed> free, List<UUID> held) throws SQLException {
        sql.query(
                WAITING,
                row -> {
                    double weight = 0;
                    while (row.next()) {
                        if (row.getBoolean(EventRows.COUNT + 5)) {
                            held.add(sql.dialect().uuid(row, 1));
                            continue;
                        }
                        weight += weight(row.getInt(EventRows.COUNT + 6));
                        if (weight > limit && !free.isEmpty()) {
                            break; // too heavy for this batch, and nothing later may pass it
                        }
                        free.add(claimed(row));
                    }
                    return free;
                },
                lease.lane(),
                limit);
    }

    /** The range may cover open events that are parked now; it serves only to count failures when its owner ends. */
    private void record(List<Claimed> first) throws SQLException {
        Long low = first.isEmpty() ? null : first.get(0).position();
        Long high = first.isEmpty() ? null : first.get(first.size() - 1).position();
        if (sql.dialect().setBased()) {
            mark = sql.query(RECORD + MARK, row -> row.next() ? row.getLong(1) : mark, low, high, lease.lane(), high);
        } else {
            mark += sql.update(RECORD, low, high, lease.lane(), high); // the statement counts
        }
    }

    private Claimed claimed(ResultSet row) throws SQLException {
        return new Claimed(
                EventRows.event(sql.dialect(), row),
                row.getLong(EventRows.COUNT + 1),
                row.getInt(EventRows.COUNT + 2),
                row.getBoolean(EventRows.COUNT + 3),
                Duration.ofNanos(Math.max(0, row.getLong(EventRows.COUNT + 4)) * 1_000));
    }
}

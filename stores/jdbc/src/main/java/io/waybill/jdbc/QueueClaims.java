package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.store.Claimed;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Claims events of one lane or several, in order per key.
 *
 * <p>Only the lane's owner claims in it, one batch at a time, after the last one was settled in the same transaction. A
 * first attempt is claimed without touching its row: the lane's row in {@code outbox_claims} says from which to which
 * sequence number the open claim reaches. Committing that row durably is what makes the claim, and every commit that its
 * events came from, safe before anything is sent. A retry, which is rare, is marked CLAIMED in its own row. Whoever takes
 * the lane over finds both and counts them as failed.
 *
 * <p>An event whose key is held back, because an earlier one waits for a retry or for a person, is parked instead of
 * claimed and leaves the index that claims read.
 */
final class QueueClaims {
    /**
     * Locking the claims too lets a transaction whose answer got lost end before its successor reads what it left behind. All who
     * lock several lanes do so in their order. Elsewhere, that a retry is due may be a guess: {@link #DUE_LANES} knows.
     */
    static final String FENCE = """
            WITH q AS MATERIALIZED (SELECT %s)
            SELECT l.lane, l.owner, l.fence,
                   EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                           AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now()),
                   c.high IS NOT NULL, CAST(CAST(c.xmin AS text) AS bigint), q.*,
                   %s
            FROM q CROSS JOIN outbox_lanes l JOIN outbox_claims c ON c.lane = l.lane WHERE l.lane = ANY (?)
            ORDER BY l.lane FOR KEY SHARE OF l FOR NO KEY UPDATE OF c""".formatted(LaneTable.CLAIM_SETTINGS, LaneTable.END_WITH_LEASE);

    static final String POSITION = ", e.seq, e.retry_count, e.next_attempt_at IS NOT NULL,"
            + " CAST(date_part('epoch', clock_timestamp() - e.created_at) * 1000000 AS bigint)";

    static final String DUE_LANES = """
            SELECT l FROM unnest(?::int[]) l
            WHERE EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l AND e.processed_at IS NULL
                          AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now())""";

    static final String DUE = "SELECT " + EventRows.COLUMNS + POSITION + """
            , e.crash_count FROM outbox_events e
            WHERE outbox_lane(e.aggregate_id) = ? AND e.processed_at IS NULL AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now()
            ORDER BY e.next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED""";

    private static final String CLAIM_DUE = """
            UPDATE outbox_events SET state = 'CLAIMED', locked_by = ?,
                locked_until = (SELECT l.expires_at FROM outbox_lanes l WHERE l.lane = ?)
            WHERE id = ANY (?)""";

    private static final String PARK =
            "UPDATE outbox_events SET state = 'PARKED', next_attempt_at = 'infinity' WHERE id = ANY (?)";

    private static final String UNCLAIM_RETRIES = """
            UPDATE outbox_events SET state = 'PENDING', locked_by = NULL, locked_until = NULL
            WHERE outbox_lane(aggregate_id) = ANY (?) AND processed_at IS NULL AND next_attempt_at < 'infinity'
              AND state = 'CLAIMED'""";

    private final Sql sql;
    private final List<QueueLane> lanes;

    private QueueClaims(Sql sql, List<QueueLane> lanes) {
        this.sql = sql;
        this.lanes = lanes;
    }

    /** Proves that the lanes are ours until this transaction ends, and makes its commit a durable one. */
    static QueueClaims under(Connection connection, List<Lease> leases) throws SQLException {
        Sql sql = Sql.on(connection);
        List<Integer> numbers = leases.stream().map(Lease::lane).toList();
        Map<Lease, QueueLane> found = new HashMap<>();
        sql.query(
                FENCE,
                row -> {
                    while (row.next()) {
                        QueueLane lane = lane(row);
                        found.put(lane.lease(), lane);
                    }
                    return found;
                },
                numbers);
        List<QueueLane> lanes = new ArrayList<>(leases.size());
        for (Lease lease : leases) {
            QueueLane lane = found.get(lease);
            if (lane == null) {
                throw new FencedException(lease);
            }
            lanes.add(lane);
        }
        return new QueueClaims(sql, lanes);
    }

    private static QueueLane lane(ResultSet row) throws SQLException {
        String owner = row.getString(2);
        Lease lease = new Lease(row.getInt(1), owner == null ? "" : owner, row.getLong(3));
        return new QueueLane(lease, row.getBoolean(4), row.getBoolean(5), row.getLong(6));
    }

    /** In the order of the leases. */
    List<QueueLane> lanes() {
        return lanes;
    }

    /**
     * Closes the last claims, which must be settled by now, and opens the next.
     *
     * @param limits for each lane
     */
    void claim(List<Integer> limits) throws SQLException {
        Set<Integer> due = dueLanes(limits);
        for (int i = 0; i < lanes.size(); i++) {
            QueueLane lane = lanes.get(i);
            int limit = limits.get(i);
            boolean suspects = due.contains(lane.number()) && claimDue(lane, Math.max(1, limit / 2));
            lane.room(suspects ? 0 : limit - lane.retries().size());
        }
        claimWaiting(Collections.max(limits));
        record();
    }

    /** Gives back whatever the leases still hold, uncounted. */
    void abandon() throws SQLException {
        record();
        sql.update(UNCLAIM_RETRIES, lanes.stream().map(QueueLane::number).toList());
    }

    /** Where a retry is due and may be claimed; of one lane that is found out by claiming. */
    private Set<Integer> dueLanes(List<Integer> limits) throws SQLException {
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < lanes.size(); i++) {
            if (lanes.get(i).mayBeDue() && limits.get(i) > 0) {
                asked.add(lanes.get(i).number());
            }
        }
        return asked.size() < 2 ? Set.copyOf(asked) : sql.query(DUE_LANES, QueueStore::numbers, asked);
    }

    /** @return whether one of these may have ended its last relay, so that nothing else should keep it company */
    private boolean claimDue(QueueLane lane, int limit) throws SQLException {
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
                lane.number(),
                limit);
        found.sort(Comparator.comparingLong(one -> one.claimed.position()));
        boolean suspects = false;
        double weight = 0;
        for (Due one : found) {
            weight += QueueLane.weight(one.crashes);
            if (weight > limit && !lane.retries().isEmpty()) {
                break;
            }
            lane.retry(one.claimed);
            suspects |= one.crashes > 0;
        }
        if (!lane.retries().isEmpty()) {
            sql.update(
                    CLAIM_DUE,
                    lane.lease().relay(),
                    lane.number(),
                    lane.retries().stream().map(claimed -> claimed.event().id()).toList());
        }
        return suspects;
    }

    /** Parks what is held back and looks behind it, until there is something to claim or nothing more to see. */
    private void claimWaiting(int most) throws SQLException {
        List<QueueLane> looking = lanes.stream().filter(lane -> lane.room() > 0).toList();
        while (!looking.isEmpty()) {
            List<UUID> held = look(looking, most);
            if (!held.isEmpty()) {
                sql.update(PARK, held);
            }
            looking = looking.stream().filter(QueueLane::looksAgain).toList();
        }
    }

    /** @return what is held back */
    private List<UUID> look(List<QueueLane> looking, int most) throws SQLException {
        Map<Integer, QueueLane> byNumber = new LinkedHashMap<>();
        for (QueueLane lane : looking) {
            lane.look();
            byNumber.put(lane.number(), lane);
        }
        QueueWaiting waiting = sql.dialect().waiting();
        int limit = looking.size() * most;
        return sql.query(
                waiting.sql(looking.size(), most),
                row -> {
                    List<UUID> held = new ArrayList<>();
                    int rows = 0;
                    while (row.next()) {
                        rows++;
                        QueueLane lane = requireNonNull(byNumber.get(row.getInt(EventRows.COUNT + 7)));
                        lane.seen();
                        if (lane.full()) {
                            continue;
                        }
                        if (row.getBoolean(EventRows.COUNT + 5)) {
                            held.add(sql.dialect().uuid(row, 1));
                            lane.foundHeld();
                        } else if (lane.takes(row.getInt(EventRows.COUNT + 6))) {
                            lane.take(claimed(row));
                        }
                    }
                    if (rows < limit) {
                        looking.forEach(QueueLane::seen);
                    }
                    return held;
                },
                waiting.parameters(List.copyOf(byNumber.keySet())).toArray());
    }

    private void record() throws SQLException {
        List<QueueLane> changed = lanes.stream().filter(QueueLane::changes).toList();
        if (!changed.isEmpty()) {
            sql.dialect().record(sql, changed);
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

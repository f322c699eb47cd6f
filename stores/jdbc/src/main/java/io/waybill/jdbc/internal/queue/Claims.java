package io.waybill.jdbc.internal.queue;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;

import io.waybill.jdbc.internal.event.Candidate;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.lane.LaneTable;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.StatementPipeline;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
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
public final class Claims {
    /**
     * Locking the claims too lets a transaction whose answer got lost end before its successor reads what it left behind. All who
     * lock several lanes do so in their order. Elsewhere, that a retry is due may be a guess: {@link #DUE_LANES} knows.
     */
    public static final String FENCE = """
            WITH q AS MATERIALIZED (SELECT %s)
            SELECT l.lane, l.owner, l.fence,
                   EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                           AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now()),
                   c.high IS NOT NULL, CAST(CAST(c.xmin AS text) AS bigint), q.*,
                   %s
            FROM q CROSS JOIN outbox_lanes l JOIN outbox_claims c ON c.lane = l.lane WHERE l.lane = ANY (?)
            ORDER BY l.lane FOR KEY SHARE OF l FOR NO KEY UPDATE OF c""".formatted(LaneTable.DURABLE, LaneTable.END_WITH_LEASE);

    static final String POSITION = ", e.seq, e.retry_count, e.next_attempt_at IS NOT NULL,"
            + " CAST(date_part('epoch', clock_timestamp() - e.created_at) * 1000000 AS bigint)";

    public static final String DUE_LANES = """
            SELECT l FROM unnest(?::int[]) l
            WHERE EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l AND e.processed_at IS NULL
                          AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now())""";

    static final String DUE = "SELECT " + EventRows.upTo(500) + POSITION + """
            , e.crash_count, e.state FROM outbox_events e
            WHERE outbox_lane(e.aggregate_id) = ? AND e.processed_at IS NULL AND e.next_attempt_at < 'infinity' AND e.next_attempt_at <= now()
            ORDER BY e.next_attempt_at LIMIT ? FOR UPDATE SKIP LOCKED""";

    private static final String CLAIM_DUE = """
            UPDATE outbox_events SET state = 'CLAIMED', locked_by = ?,
                locked_until = (SELECT l.expires_at FROM outbox_lanes l WHERE l.lane = ?)
            WHERE id = ANY (?)""";

    private static final String UNCLAIM_RETRIES = """
            UPDATE outbox_events SET state = 'PENDING', locked_by = NULL, locked_until = NULL
            WHERE outbox_lane(aggregate_id) = ANY (?) AND processed_at IS NULL AND next_attempt_at < 'infinity'
              AND state = 'CLAIMED'""";

    private final Sql sql;
    private final List<LaneRequest> turns;
    private final List<LaneClaim> lanes = new ArrayList<>();
    private final List<UUID> held = new ArrayList<>();
    private boolean looked;
    private boolean somethingHeld;

    /** @param somethingHeld whether that is to be expected; only {@link PendingQuery} knows */
    Claims(Sql sql, List<LaneRequest> turns, boolean somethingHeld) {
        this.sql = sql;
        this.turns = turns;
        this.somethingHeld = somethingHeld;
    }

    /** As {@link #prove}, by itself. */
    public static Claims under(Connection connection, List<LaneRequest> turns) throws SQLException {
        Sql sql = Sql.on(connection);
        Claims claims = new Claims(sql, turns, false);
        StatementPipeline message = new StatementPipeline(sql);
        claims.prove(message);
        message.send();
        return claims;
    }

    /** Proves that the lanes are ours until this transaction ends, and makes its commit a durable one. */
    void prove(StatementPipeline message) {
        message.settings();
        message.query(
                FENCE,
                rows -> lanes.addAll(proven(rows)),
                turns.stream().map(turn -> turn.lease().lane()).toList());
    }

    private List<LaneClaim> proven(ResultSet row) throws SQLException {
        Map<Lease, LaneRequest> ours = turns.stream().collect(toMap(LaneRequest::lease, turn -> turn));
        Map<Lease, LaneClaim> found = new HashMap<>();
        while (row.next()) {
            String owner = row.getString(2);
            Lease lease = new Lease(row.getInt(1), owner == null ? "" : owner, row.getLong(3));
            LaneRequest turn = ours.get(lease);
            if (turn != null) {
                found.put(
                        lease,
                        new LaneClaim(
                                lease,
                                turn.limit(),
                                turn.bytes(),
                                row.getBoolean(4),
                                row.getBoolean(5),
                                row.getLong(6)));
            }
        }
        List<LaneClaim> proven = new ArrayList<>(turns.size());
        for (LaneRequest turn : turns) {
            LaneClaim lane = found.get(turn.lease());
            if (lane == null) {
                throw new FencedException(turn.lease());
            }
            proven.add(lane);
        }
        return proven;
    }

    /** In the order of the turns. */
    public List<LaneClaim> lanes() {
        return lanes;
    }

    /** Whether the last look has found anything held back. */
    boolean somethingHeld() {
        return somethingHeld;
    }

    /** Has the first look at what waits come along. All that changes it must be written before. */
    void look(StatementPipeline message) {
        List<Integer> numbers = turns.stream()
                .filter(turn -> turn.limit() > 0)
                .map(turn -> turn.lease().lane())
                .toList();
        if (!numbers.isEmpty()) {
            look(message, numbers);
        }
        looked = true;
    }

    /** Chooses the next claims. The last ones must be settled by now. */
    public void claim() throws SQLException {
        if (!looked) {
            StatementPipeline message = new StatementPipeline(sql);
            look(message);
            message.send();
        }
        Set<Integer> due = dueLanes();
        for (LaneClaim lane : lanes) {
            if (due.contains(lane.number())) {
                claimDue(lane);
            }
        }
        claimWaiting();
        for (LaneClaim lane : lanes) {
            lane.choose(sql);
        }
    }

    /** Gives back whatever the leases still hold, uncounted. */
    void abandon() throws SQLException {
        sql.update(UNCLAIM_RETRIES, lanes.stream().map(LaneClaim::number).toList());
    }

    /** Closes the last claims, opens what was chosen, and commits; see {@link StatementPipeline#sendAndCommit}. */
    void commit() throws SQLException {
        List<LaneClaim> changed = lanes.stream().filter(LaneClaim::changes).toList();
        if (!changed.isEmpty()) {
            StatementPipeline message = new StatementPipeline(sql);
            sql.dialect().record(message, changed);
            message.sendAndCommit();
        }
    }

    /** Where a retry is due and may be claimed; of one lane that is found out by claiming. */
    private Set<Integer> dueLanes() throws SQLException {
        List<Integer> asked = lanes.stream()
                .filter(LaneClaim::mayRetry)
                .map(LaneClaim::number)
                .toList();
        return asked.size() < 2 ? Set.copyOf(asked) : sql.query(DUE_LANES, QueueStore::numbers, asked);
    }

    /**
     * When one of these may have ended its last relay, nothing else keeps it company. A parked event that is due stands for its key,
     * see {@link ParkedEvents}: the next chunk is freed when the look has found no event of the last one, so that other keys of the lane
     * have their turn in between.
     */
    private void claimDue(LaneClaim lane) throws SQLException {
        int limit = lane.mostRetries();
        record Due(Candidate candidate, int crashes) {}
        List<Due> found = new ArrayList<>();
        Set<String> goingOn = new HashSet<>();
        sql.query(
                DUE,
                row -> {
                    while (row.next()) {
                        Candidate candidate = candidate(row);
                        if (!row.getString(EventRows.COUNT + 6).equals("PARKED")) {
                            found.add(new Due(candidate, row.getInt(EventRows.COUNT + 5)));
                        } else if (!lane.found(candidate.key())) {
                            goingOn.add(candidate.key());
                        }
                    }
                    return found;
                },
                lane.number(),
                limit);
        ParkedEvents.free(sql, goingOn);
        found.sort(Comparator.comparingLong(one -> one.candidate.position()));
        boolean suspects = false;
        double weight = 0;
        List<Candidate> light = new ArrayList<>();
        for (Due one : found) {
            weight += LaneClaim.weight(one.crashes);
            if (weight > limit && !light.isEmpty()) {
                break;
            }
            light.add(one.candidate);
            suspects |= one.crashes > 0;
        }
        lane.retry(sql, light);
        if (!lane.retries().isEmpty()) {
            sql.update(
                    CLAIM_DUE,
                    lane.lease().relay(),
                    lane.number(),
                    lane.retries().stream().map(claimed -> claimed.event().id()).toList());
            lane.retriesCameFirst(suspects);
        }
    }

    /**
     * Parks what is held back and looks behind it, until there is something to claim or nothing more to see. After very many it leaves
     * the rest to the next claim.
     */
    private void claimWaiting() throws SQLException {
        int parked = park();
        for (List<Integer> looking = looking(); !looking.isEmpty() && parked < ParkedEvents.MOST; looking = looking()) {
            StatementPipeline message = new StatementPipeline(sql);
            look(message, looking);
            message.send();
            parked += park();
        }
    }

    private List<Integer> looking() {
        return lanes.stream().filter(LaneClaim::mustLook).map(LaneClaim::number).toList();
    }

    private int park() throws SQLException {
        int parked = held.size();
        if (parked > 0) {
            sql.update(ParkedEvents.PARK, List.copyOf(held));
            held.clear();
        }
        return parked;
    }

    private void look(StatementPipeline message, List<Integer> numbers) {
        int most = turns.stream().mapToInt(LaneRequest::limit).max().orElseThrow();
        PendingQuery waiting = sql.dialect().waiting();
        boolean asksHeld = somethingHeld;
        message.query(
                waiting.sql(numbers.size(), most, asksHeld),
                rows -> read(rows, numbers, numbers.size() * most, asksHeld),
                waiting.parameters(numbers).toArray());
    }

    /** @param limit of rows: where there are fewer, all lanes were seen */
    private void read(ResultSet row, List<Integer> numbers, int limit, boolean askedHeld) throws SQLException {
        Map<Integer, LaneClaim> looking = lanes.stream()
                .filter(lane -> numbers.contains(lane.number()))
                .collect(toMap(LaneClaim::number, lane -> lane));
        looking.values().forEach(LaneClaim::look);
        somethingHeld = false;
        int rows = 0;
        while (row.next()) {
            int number = row.getInt(EventRows.COUNT + 7);
            if (number == PendingQuery.NONE) {
                somethingHeld = true;
                continue;
            }
            rows++;
            LaneClaim lane = requireNonNull(looking.get(number));
            lane.seen();
            if (lane.full()) {
                continue;
            }
            if (row.getBoolean(EventRows.COUNT + 5)) {
                held.add(sql.dialect().uuid(row, 1));
                lane.foundHeld();
            } else if (lane.takes(row.getInt(EventRows.COUNT + 6))) {
                lane.take(candidate(row));
            }
        }
        if (rows < limit) {
            looking.values().forEach(LaneClaim::seen);
        }
        if (somethingHeld) {
            lanes.forEach(LaneClaim::retryMayBeDue);
            if (!askedHeld) {
                looking.values().forEach(LaneClaim::forget);
            }
        }
    }

    private Candidate candidate(ResultSet row) throws SQLException {
        return Candidate.read(
                sql.dialect(),
                row,
                row.getLong(EventRows.COUNT + 1),
                row.getInt(EventRows.COUNT + 2),
                row.getBoolean(EventRows.COUNT + 3),
                row.getLong(EventRows.COUNT + 4));
    }
}

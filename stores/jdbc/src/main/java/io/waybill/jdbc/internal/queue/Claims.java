package io.waybill.jdbc.internal.queue;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;

import io.waybill.jdbc.internal.event.Candidate;
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
    private final Sql sql;
    private final QueueStatements statements;
    private final List<LaneRequest> turns;
    private final List<LaneClaim> lanes = new ArrayList<>();
    private final List<UUID> held = new ArrayList<>();
    private boolean looked;
    private boolean somethingHeld;

    /** @param somethingHeld whether that is to be expected; only {@link PendingQuery} knows */
    Claims(Sql sql, List<LaneRequest> turns, boolean somethingHeld) {
        this.sql = sql;
        this.statements = QueueStatements.of(sql);
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
                statements.fence(),
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
        sql.update(
                statements.unclaimRetries, lanes.stream().map(LaneClaim::number).toList());
    }

    /** Closes the last claims, opens what was chosen, and commits; see {@link StatementPipeline#sendAndCommit}. */
    void commit() throws SQLException {
        List<LaneClaim> changed = lanes.stream().filter(LaneClaim::changes).toList();
        if (!changed.isEmpty()) {
            StatementPipeline message = new StatementPipeline(sql);
            statements.record(message, changed);
            message.sendAndCommit();
        }
    }

    /** Where a retry is due and may be claimed; of one lane that is found out by claiming. */
    private Set<Integer> dueLanes() throws SQLException {
        List<Integer> asked = lanes.stream()
                .filter(LaneClaim::mayRetry)
                .map(LaneClaim::number)
                .toList();
        return asked.size() < 2 ? Set.copyOf(asked) : sql.query(statements.dueLanes(), QueueStore::numbers, asked);
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
                statements.due,
                row -> {
                    ClaimColumns columns = ClaimColumns.of(row);
                    int state = row.findColumn("state");
                    while (row.next()) {
                        Candidate candidate = columns.candidate(sql.dialect(), row);
                        if (!row.getString(state).equals("PARKED")) {
                            found.add(new Due(candidate, columns.crashes(row)));
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
                    statements.claimDue,
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
            sql.update(statements.park, List.copyOf(held));
            held.clear();
        }
        return parked;
    }

    private void look(StatementPipeline message, List<Integer> numbers) {
        int most = turns.stream().mapToInt(LaneRequest::limit).max().orElseThrow();
        PendingQuery pending = statements.pending();
        boolean asksHeld = somethingHeld;
        message.query(
                pending.sql(sql.dialect(), numbers.size(), most, asksHeld),
                rows -> read(rows, numbers, numbers.size() * most, asksHeld),
                pending.parameters(numbers).toArray());
    }

    /** @param limit of rows: where there are fewer, all lanes were seen */
    private void read(ResultSet row, List<Integer> numbers, int limit, boolean askedHeld) throws SQLException {
        Map<Integer, LaneClaim> looking = lanes.stream()
                .filter(lane -> numbers.contains(lane.number()))
                .collect(toMap(LaneClaim::number, lane -> lane));
        looking.values().forEach(LaneClaim::look);
        somethingHeld = false;
        int rows = 0;
        ClaimColumns columns = ClaimColumns.of(row);
        int isHeld = row.findColumn("is_held");
        int laneNumber = row.findColumn("lane");
        while (row.next()) {
            int number = row.getInt(laneNumber);
            if (number == PendingQuery.NO_LANE) {
                somethingHeld = true;
                continue;
            }
            rows++;
            LaneClaim lane = requireNonNull(looking.get(number));
            lane.seen();
            if (lane.full()) {
                continue;
            }
            if (row.getBoolean(isHeld)) {
                held.add(sql.dialect().uuid(row, 1));
                lane.foundHeld();
            } else if (lane.takes(columns.crashes(row))) {
                lane.take(columns.candidate(sql.dialect(), row));
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
}

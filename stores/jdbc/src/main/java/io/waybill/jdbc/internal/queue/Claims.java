package io.waybill.jdbc.internal.queue;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;

import io.waybill.jdbc.internal.event.ParkedChunk;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Claims events of one or several lanes, in order per key.
 *
 * <p>Only the owner of a lane claims in it. It claims one batch at a time, in the transaction that settles the previous batch. A claim
 * of first attempts does not change the rows of the events: the lane's row in {@code outbox_claims} records the range of sequence
 * numbers that are claimed. The transaction commits durably. All earlier commits are then durable, too, so the rows of the claimed
 * events are durable before any of these events is sent. A claimed retry, which is rare, gets the state CLAIMED in its own row. A
 * relay that takes the lane over finds both and counts a failed attempt for each event.
 *
 * <p>If an earlier event of the same key is held, because it waits for a retry or for an operator, the event is parked instead of
 * claimed. A parked event leaves the index that claims read.
 */
public final class Claims {
    private final Sql sql;
    private final QueueStatements statements;
    private final List<LaneRequest> requests;
    private final List<LaneClaim> lanes = new ArrayList<>();
    private final List<UUID> toPark = new ArrayList<>();
    private boolean scanned;
    private boolean anyHeld;

    /** @param anyHeld whether to expect that any event is held, so that the first scan computes {@code key_held} */
    Claims(Sql sql, List<LaneRequest> requests, boolean anyHeld) {
        this.sql = sql;
        this.statements = QueueStatements.of(sql);
        this.requests = requests;
        this.anyHeld = anyHeld;
    }

    /** Verifies the fences as {@link #verifyFences} does, in a round trip of its own. */
    public static Claims verified(Connection connection, List<LaneRequest> requests) throws SQLException {
        Sql sql = Sql.on(connection);
        Claims claims = new Claims(sql, requests, false);
        StatementPipeline pipeline = new StatementPipeline(sql);
        claims.verifyFences(pipeline);
        pipeline.send();
        return claims;
    }

    /**
     * Adds the statement that verifies the fences of the lanes. It locks the lanes, so that this relay owns them until the
     * transaction ends, and makes the commit of the transaction durable.
     */
    void verifyFences(StatementPipeline pipeline) {
        pipeline.settings();
        pipeline.query(
                statements.fence(),
                rows -> lanes.addAll(ownedLanes(rows)),
                requests.stream().map(request -> request.lease().lane()).toList());
    }

    private List<LaneClaim> ownedLanes(ResultSet row) throws SQLException {
        Map<Lease, LaneRequest> requested = requests.stream().collect(toMap(LaneRequest::lease, request -> request));
        Map<Lease, LaneClaim> found = new HashMap<>();
        while (row.next()) {
            String owner = row.getString(2);
            Lease lease = new Lease(row.getInt(1), owner == null ? "" : owner, row.getLong(3));
            LaneRequest request = requested.get(lease);
            if (request != null) {
                found.put(
                        lease,
                        new LaneClaim(
                                lease,
                                request.limit(),
                                request.bytes(),
                                row.getBoolean(4),
                                row.getBoolean(5),
                                row.getLong(6)));
            }
        }
        List<LaneClaim> owned = new ArrayList<>(requests.size());
        for (LaneRequest request : requests) {
            LaneClaim lane = found.get(request.lease());
            if (lane == null) {
                throw new FencedException(request.lease());
            }
            owned.add(lane);
        }
        return owned;
    }

    /** Returns the lanes in the order of the requests. */
    public List<LaneClaim> lanes() {
        return lanes;
    }

    /** Whether the last scan found that any event is held. */
    boolean anyHeld() {
        return anyHeld;
    }

    /** Adds the first scan of pending events. Every change to pending events must precede it. */
    void scan(StatementPipeline pipeline) {
        List<Integer> numbers = requests.stream()
                .filter(request -> request.limit() > 0)
                .map(request -> request.lease().lane())
                .toList();
        if (!numbers.isEmpty()) {
            scan(pipeline, numbers);
        }
        scanned = true;
    }

    /** Chooses the events to claim. The previous batches must be settled before. */
    public void claim() throws SQLException {
        if (!scanned) {
            StatementPipeline pipeline = new StatementPipeline(sql);
            scan(pipeline);
            pipeline.send();
        }
        Set<Integer> due = lanesWithDueRetries();
        for (LaneClaim lane : lanes) {
            if (due.contains(lane.number())) {
                DueRetries.claim(sql, lane);
            }
        }
        parkAndScan();
        for (LaneClaim lane : lanes) {
            lane.choose(sql);
        }
    }

    /** Releases the claimed retries of the lanes without counting a failed attempt. */
    void unclaimRetries() throws SQLException {
        sql.update(
                statements.unclaimRetries, lanes.stream().map(LaneClaim::number).toList());
    }

    /** Records the chosen events as the lanes' open claims and commits; see {@link StatementPipeline#sendAndCommit}. */
    void commit() throws SQLException {
        List<LaneClaim> changed = lanes.stream().filter(LaneClaim::isChanged).toList();
        if (!changed.isEmpty()) {
            StatementPipeline pipeline = new StatementPipeline(sql);
            statements.record(pipeline, changed);
            pipeline.sendAndCommit();
        }
    }

    /** Returns the lanes that may claim retries and have due ones. A single lane is returned without a query. */
    private Set<Integer> lanesWithDueRetries() throws SQLException {
        List<Integer> candidates = lanes.stream()
                .filter(LaneClaim::mayRetry)
                .map(LaneClaim::number)
                .toList();
        return candidates.size() < 2
                ? Set.copyOf(candidates)
                : sql.query(statements.dueLanes(), LaneTable::numbers, candidates);
    }

    /**
     * Parks the events whose keys are held and scans the events after them, until each lane has events to claim or no more pending
     * events. Stops after {@link ParkedChunk#MAX_PER_TRANSACTION} parked events; the next claim continues.
     */
    private void parkAndScan() throws SQLException {
        int parked = park();
        for (List<Integer> unscanned = lanesToScan();
                !unscanned.isEmpty() && parked < ParkedChunk.MAX_PER_TRANSACTION;
                unscanned = lanesToScan()) {
            StatementPipeline pipeline = new StatementPipeline(sql);
            scan(pipeline, unscanned);
            pipeline.send();
            parked += park();
        }
    }

    private List<Integer> lanesToScan() {
        return lanes.stream()
                .filter(LaneClaim::needsScan)
                .map(LaneClaim::number)
                .toList();
    }

    private int park() throws SQLException {
        int parked = toPark.size();
        if (parked > 0) {
            sql.update(statements.park, List.copyOf(toPark));
            toPark.clear();
        }
        return parked;
    }

    private void scan(StatementPipeline pipeline, List<Integer> numbers) {
        int perLane = requests.stream().mapToInt(LaneRequest::limit).max().orElseThrow();
        PendingQuery pending = statements.pending();
        boolean withKeyHeld = anyHeld;
        pipeline.query(
                pending.sql(sql.dialect(), numbers.size(), perLane, withKeyHeld),
                rows -> read(rows, numbers, numbers.size() * perLane, withKeyHeld),
                pending.parameters(numbers).toArray());
    }

    /**
     * Reads the result of a scan.
     *
     * @param limit the limit on the number of rows; if there are fewer, the scan reached the end of every lane
     * @param withKeyHeld whether the scan computed {@code key_held}; see {@link PendingQuery}
     */
    private void read(ResultSet row, List<Integer> numbers, int limit, boolean withKeyHeld) throws SQLException {
        Map<Integer, LaneClaim> scannedLanes = lanes.stream()
                .filter(lane -> numbers.contains(lane.number()))
                .collect(toMap(LaneClaim::number, lane -> lane));
        scannedLanes.values().forEach(LaneClaim::beginScan);
        anyHeld = false;
        int rows = 0;
        ClaimColumns columns = ClaimColumns.of(row);
        int keyHeldColumn = row.findColumn("key_held");
        int laneColumn = row.findColumn("lane");
        while (row.next()) {
            int number = row.getInt(laneColumn);
            if (number == PendingQuery.ANY_HELD_MARKER) {
                anyHeld = true;
                continue;
            }
            rows++;
            LaneClaim lane = requireNonNull(scannedLanes.get(number));
            lane.scanned();
            if (lane.isFull()) {
                continue;
            }
            if (row.getBoolean(keyHeldColumn)) {
                toPark.add(columns.id(sql.dialect(), row));
                lane.foundHeldKey();
            } else if (lane.fits(columns.crashes(row))) {
                lane.add(columns.candidate(sql.dialect(), row));
            }
        }
        if (rows < limit) {
            scannedLanes.values().forEach(LaneClaim::scanned);
        }
        if (anyHeld) {
            lanes.forEach(LaneClaim::retryMayBeDue);
            if (!withKeyHeld) {
                scannedLanes.values().forEach(LaneClaim::discardScan);
            }
        }
    }
}

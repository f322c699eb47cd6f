package io.waybill.faults.simulation;

import io.waybill.Event;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxPause;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * An in-memory outbox that passes the contract of stores: lanes with leases and fences, claims, parked keys, transactions that
 * commit in any order, commits that a crash of the database undoes. Each call is one transaction. Not thread-safe.
 */
final class ModelStore implements OutboxStore {
    private final LongSupplier clock;
    private final Bug bug;
    private final List<Row> rows = new ArrayList<>();
    private final Map<OutboxPause, Long> pauses = new LinkedHashMap<>();
    private final Lane[] lanes;
    private final Map<String, Long> relays = new TreeMap<>();
    private final Set<String> serving = new TreeSet<>();
    private long positions;

    private static final class Lane {
        private String owner = "";
        private long fence;
        private long expiresAt;
        private long lastRead;
    }

    /** @param clock the clock of the database, in nanoseconds */
    ModelStore(int lanes, LongSupplier clock, Bug bug) {
        this.clock = clock;
        this.bug = bug;
        this.lanes = new Lane[lanes];
        for (int i = 0; i < lanes; i++) {
            this.lanes[i] = new Lane();
        }
    }

    List<Row> rows() {
        return rows;
    }

    /** Assigns a position now. The row becomes visible with {@link #commit}. */
    Row append(Event event, long transaction, long began) {
        int lane = Math.floorMod(event.key().hashCode(), lanes.length);
        Row row = new Row(event, lane, ++positions, transaction, began);
        rows.add(row);
        return row;
    }

    void commit(List<Row> transaction, boolean durably) {
        transaction.forEach(row -> row.committed = true);
        if (durably) {
            flush();
        }
    }

    void rollBack(List<Row> transaction) {
        rows.removeAll(transaction);
    }

    /** Makes all commits durable. The log is sequential, so the newest commit includes all earlier ones. */
    void flush() {
        rows.forEach(row -> row.durable = row.committed);
    }

    /** Returns the rows whose commits were lost. */
    List<Row> crash() {
        List<Row> lost =
                rows.stream().filter(row -> row.committed && !row.durable).toList();
        rows.removeIf(row -> !row.durable);
        return lost;
    }

    /** Replays a dead letter, as an operator does. */
    void replay(Row row) {
        row.state = EventState.PENDING;
        row.due = clock.getAsLong();
        row.retryCount = 0;
        row.crashCount = 0;
        flush();
    }

    boolean owns(Lease lease) {
        Lane lane = lanes[lease.lane()];
        return lane.owner.equals(lease.relay()) && lane.fence == lease.fence();
    }

    boolean ownsALane(String relay) {
        for (Lane lane : lanes) {
            if (lane.owner.equals(relay)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public RelayRoster heartbeat(RelayReport report, Duration lease) {
        long now = clock.getAsLong();
        relays.put(report.name(), now + lease.toNanos());
        if (report.serving()) {
            serving.add(report.name());
        } else {
            serving.remove(report.name());
        }
        List<RelayRoster.Ownership> owned = new ArrayList<>(lanes.length);
        for (int i = 0; i < lanes.length; i++) {
            Lane lane = lanes[i];
            if (lane.owner.equals(report.name()) && lane.expiresAt < now + lease.toNanos() * 2 / 3) {
                lane.expiresAt = now + lease.toNanos();
            }
            owned.add(new RelayRoster.Ownership(i, lane.owner, lane.fence, Duration.ofNanos(lane.expiresAt - now)));
        }
        List<String> live = new ArrayList<>();
        relays.forEach((name, until) -> {
            if (until > now) {
                live.add(name);
            }
        });
        return new RelayRoster(live, live.stream().filter(serving::contains).toList(), owned);
    }

    @Override
    public Optional<Lease> acquire(String relay, int number, Duration lease) {
        Lane lane = lanes[number];
        if (!lane.owner.isEmpty() && lane.expiresAt > clock.getAsLong()) {
            return Optional.empty();
        }
        for (Row row : rows) {
            if (row.lane == number && row.state == EventState.CLAIMED) {
                row.state = EventState.PENDING;
                row.retryCount++;
                row.crashCount++;
            }
        }
        lane.owner = relay;
        lane.expiresAt = clock.getAsLong() + lease.toNanos();
        lane.fence++;
        flush();
        return Optional.of(new Lease(number, relay, lane.fence));
    }

    @Override
    public void release(Lease lease) {
        if (owns(lease)) {
            free(lanes[lease.lane()]);
        }
    }

    @Override
    public void leave(String relay) {
        relays.remove(relay);
        for (Lane lane : lanes) {
            if (lane.owner.equals(relay)) {
                free(lane);
            }
        }
    }

    private void free(Lane lane) {
        lane.owner = "";
        lane.expiresAt = clock.getAsLong();
        flush();
    }

    @Override
    public Set<Integer> ready(Collection<Integer> numbers) {
        long now = clock.getAsLong();
        Set<Integer> ready = new TreeSet<>();
        for (Row row : rows) {
            if (row.committed && row.state == EventState.PENDING && row.due <= now && numbers.contains(row.lane)) {
                ready.add(row.lane);
            }
        }
        return ready;
    }

    @Override
    public List<List<ClaimedEvent>> advance(List<LaneRequest> turns) {
        ModelSettlement settlement = ModelSettlement.of(rows, clock.getAsLong(), bug);
        for (LaneRequest turn : turns) {
            if (!turn.idle()) {
                requireOwner(turn.lease());
                settlement.require(turn.lease(), turn.outcomes());
            }
        }
        List<List<ClaimedEvent>> claims = new ArrayList<>(turns.size());
        for (LaneRequest turn : turns) {
            claims.add(turn.idle() ? List.of() : advance(settlement, turn));
        }
        if (bug != Bug.PUBLISH_BEFORE_THE_CLAIM_IS_DURABLE && !turns.stream().allMatch(LaneRequest::idle)) {
            flush();
        }
        return claims;
    }

    private List<ClaimedEvent> advance(ModelSettlement settlement, LaneRequest turn) {
        Lease lease = turn.lease();
        settlement.settle(lease, turn.outcomes());
        ModelClaims claims = new ModelClaims(rows, lease, clock.getAsLong(), bug, lanes[lease.lane()].lastRead);
        List<ClaimedEvent> claimed = claims.claim(turn.limit(), turn.bytes());
        for (ClaimedEvent each : claimed) {
            lanes[lease.lane()].lastRead = Math.max(lanes[lease.lane()].lastRead, each.position());
        }
        return claimed;
    }

    @Override
    public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
        requireOwner(lease);
        ModelSettlement.of(rows, clock.getAsLong(), bug).settle(lease, outcomes);
        for (Row row : rows) {
            if (row.lane == lease.lane() && row.state == EventState.CLAIMED) {
                row.state = EventState.PENDING;
            }
        }
        flush();
    }

    private void requireOwner(Lease lease) {
        if (!owns(lease) && bug != Bug.NO_FENCE && bug != Bug.IGNORE_ZERO_ROWS) {
            throw new FencedException(lease);
        }
    }

    /** Pauses topics, keys or relays until a time. */
    void pause(OutboxPause pause, long end) {
        pauses.put(pause, end);
    }

    void endPauses() {
        pauses.clear();
    }

    @Override
    public boolean supportsPauses() {
        return true;
    }

    @Override
    public List<OutboxPause> pauses() {
        long now = clock.getAsLong();
        return pauses.entrySet().stream()
                .filter(pause -> pause.getValue() > now)
                .map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public int wakeHeld(int lane, Collection<String> reasons, int limit) {
        long now = clock.getAsLong();
        int woken = 0;
        for (Row row : rows) {
            if (woken < limit
                    && row.lane == lane
                    && row.state == EventState.PENDING
                    && row.due > now
                    && row.due != Row.NOT_YET
                    && row.error != null
                    && row.error.startsWith(OutboxPause.HELD)
                    && !reasons.contains(row.error)) {
                row.due = now;
                woken++;
            }
        }
        return woken;
    }

    /** Keeps published rows, because the checks of a run need them. */
    @Override
    public int prune(Duration age, int limit) {
        return 0;
    }
}

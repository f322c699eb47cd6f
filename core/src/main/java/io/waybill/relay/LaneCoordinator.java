package io.waybill.relay;

import io.waybill.WaybillException;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.RelayRoster;
import io.waybill.store.StoreReplacedException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sends the heartbeats of this relay and decides which lanes it owns.
 *
 * <p>Live relays share the lanes evenly: with n relays, each owns an n-th of the lanes, and the first relays in name order own one
 * more if the division leaves a remainder. A relay that owns too many lanes releases some once their workers are idle. A relay that
 * owns too few acquires lanes that are free or whose lease has expired. All relays compute the shares from the same roster, so they
 * need no other coordination.
 *
 * <p>A relay that is not serving has no share while another relay is serving. A relay is serving from the first answer of its
 * broker until its circuit breaker has been open for the duration of a lease. Once the broker has answered, only a failed send
 * opens the breaker, so a relay without events keeps its share while its broker is down. If no relay is serving, all relays share
 * the lanes and keep them.
 */
final class LaneCoordinator implements Runnable {
    private final OutboxStore store;
    private final RelaySettings settings;
    private final PublishCounter counter;
    private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();

    /**
     * Lanes that were lost while a worker was busy with them. Such a lane is not acquired again before the worker has returned
     * it. After a failover, the database may have forgotten that this relay acquired the lane, and may grant the same fence
     * again. The store would then accept a late settlement by the old worker as if it came from the new one.
     */
    private final Map<Integer, Lane> lostWhileBusy = new ConcurrentHashMap<>();

    private final Semaphore wake = new Semaphore(0);
    private final OutageLog outages;
    private Runnable newLanes = () -> {};
    private BooleanSupplier serving = () -> true;
    private Consumer<StoreReplacedException> replaced = reason -> {};
    private @Nullable ExecutorService thread;
    private volatile boolean stopped;

    LaneCoordinator(OutboxStore store, RelaySettings settings, PublishCounter counter) {
        this.store = store;
        this.settings = settings;
        this.counter = counter;
        this.outages = new OutageLog("Relay " + settings.name() + " cannot renew its leases");
    }

    void onNewLanes(Runnable action) {
        newLanes = action;
    }

    /** @param condition whether this relay is serving; asked before each heartbeat */
    void setServing(BooleanSupplier condition) {
        serving = condition;
    }

    /** Sends the next heartbeat now, because other relays should see a change at once. */
    void heartbeatNow() {
        wake.release();
    }

    void onReplaced(Consumer<StoreReplacedException> action) {
        replaced = action;
    }

    Collection<Lane> lanes() {
        return lanes.values();
    }

    void start() {
        thread = Threads.start(settings.ticker(), "waybill-heartbeat", this);
    }

    /** Stops renewing leases, so that they expire even if the rest of the shutdown fails. Allocates no memory. */
    void abandon() {
        stopped = true;
        wake.release();
    }

    /** Stops the heartbeat, releases all lanes and removes the relay from the roster. */
    void stop() {
        stopped = true;
        wake.release();
        if (thread != null) {
            Threads.join(thread, settings.stopLimit());
        }
        try {
            store.leave(settings.name());
        } catch (WaybillException e) {
            outages.raise(e);
        }
        lanes.clear();
    }

    @Override
    public void run() {
        Duration pause = settings.heartbeatEvery();
        try {
            while (!stopped) {
                wake.drainPermits();
                try {
                    heartbeat();
                    outages.clear();
                } catch (StoreReplacedException e) {
                    lanes.clear();
                    replaced.accept(e);
                    return;
                } catch (RuntimeException e) {
                    outages.raise(e);
                }
                if (!stopped) { // checked again: drainPermits may have removed the permit of stop()
                    settings.ticker().acquire(wake, pause);
                }
            }
        } catch (InterruptedException e) {
            throw Threads.interrupted(e);
        }
    }

    void heartbeat() {
        long sent = settings.ticker().nanos();
        RelayRoster roster = store.heartbeat(counter.report(settings.name(), serving.getAsBoolean()), settings.lease());
        confirm(roster, sent);
        releaseForgotten(roster);
        int share = share(roster);
        releaseSurplus(share);
        acquireMissing(roster, share);
    }

    /** Renews the leases that the relay still owns. Drops lanes that have another owner or no longer exist. */
    private void confirm(RelayRoster roster, long sent) {
        Set<Integer> existing =
                roster.lanes().stream().map(RelayRoster.Ownership::lane).collect(Collectors.toSet());
        lanes.values().stream()
                .filter(lane -> !existing.contains(lane.number()))
                .forEach(this::lost);
        for (RelayRoster.Ownership row : roster.lanes()) {
            Lane lane = lanes.get(row.lane());
            if (lane == null) {
                continue;
            }
            Lease lease = lane.lease();
            if (row.owner().equals(settings.name()) && row.fence() == lease.fence()) {
                lane.renewed(sent, row.remaining());
            } else if (!lane.releaseRequested()) {
                lost(lane);
            }
        }
    }

    /**
     * Releases lanes that this relay owns according to the roster, but does not serve: the response to {@code acquire} was lost, or
     * {@code release} failed. The heartbeats of this relay would otherwise renew such a lease forever. Only this thread acquires
     * lanes, so the lane cannot have been acquired concurrently.
     */
    private void releaseForgotten(RelayRoster roster) {
        for (RelayRoster.Ownership row : roster.lanes()) {
            if (row.owner().equals(settings.name()) && !lanes.containsKey(row.lane())) {
                release(new Lease(row.lane(), settings.name(), row.fence()));
            }
        }
    }

    private int share(RelayRoster roster) {
        List<String> sharing = roster.serving().isEmpty() ? roster.relays() : roster.serving();
        int rank = sharing.indexOf(settings.name());
        if (rank < 0 && !sharing.isEmpty()) {
            return 0;
        }
        int relays = Math.max(1, sharing.size());
        int total = roster.lanes().size();
        return total / relays + (rank >= 0 && rank < total % relays ? 1 : 0);
    }

    private void releaseSurplus(int share) {
        List<Lane> kept =
                lanes.values().stream().filter(lane -> !lane.releaseRequested()).toList();
        for (Lane lane : kept.subList(Math.min(share, kept.size()), kept.size())) {
            if (lane.requestRelease()) {
                releaseIfOwned(lane);
            }
        }
    }

    private void acquireMissing(RelayRoster roster, int share) {
        boolean acquired = false;
        for (RelayRoster.Ownership row : roster.lanes()) {
            if (lanes.size() >= share) {
                break;
            }
            if (row.available() && !lanes.containsKey(row.lane()) && !lostWhileBusy.containsKey(row.lane())) {
                long sent = settings.ticker().nanos();
                Optional<Lease> lease = store.acquire(settings.name(), row.lane(), settings.lease());
                lease.ifPresent(granted -> lanes.put(
                        row.lane(), new Lane(granted, sent + settings.lease().toNanos(), settings.ticker())));
                acquired |= lease.isPresent();
            }
        }
        if (acquired) {
            newLanes.run();
        }
    }

    /** A worker returns the lane. */
    void finished(Lane lane) {
        if (lane.end()) {
            releaseIfOwned(lane);
        }
        lostWhileBusy.remove(lane.number(), lane);
    }

    /** The lane has another owner or no longer exists. */
    void lost(Lane lane) {
        if (lanes.remove(lane.number(), lane)) {
            // The entry is added before requestRelease() shows whether the lane is idle: a worker that finishes in
            // between removes the entry again.
            lostWhileBusy.put(lane.number(), lane);
            if (lane.requestRelease()) {
                lostWhileBusy.remove(lane.number(), lane);
            }
            counter.listener().leaseLost(lane.lease());
        }
    }

    private void releaseIfOwned(Lane lane) {
        if (lanes.remove(lane.number(), lane)) {
            release(lane.lease());
        }
    }

    private void release(Lease lease) {
        try {
            store.release(lease);
        } catch (WaybillException e) {
            outages.raise(e); // the next heartbeat retries
        }
    }
}

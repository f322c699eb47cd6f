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
 * Keeps this relay on the roll and decides which lanes are ours.
 *
 * <p>Live relays share the lanes evenly: with n relays in name order, each takes its n-th part, the first ones one more.
 * A relay that owns too many gives lanes up when their workers are idle; one that owns too few takes what is free or
 * expired. Everyone computes the same shares from the same roll, so nobody has to ask anybody.
 *
 * <p>A relay that does not reach its broker has no share as long as another relay does: it has not reached it since it was started,
 * or not for the time of a lease. When no relay reaches its broker, all of them share the lanes, and keep them.
 */
final class LaneKeeper implements Runnable {
    private final OutboxStore store;
    private final RelaySettings settings;
    private final PublishCounter progress;
    private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();

    /**
     * Lanes that are lost while a worker is still busy with them. Such a lane is not taken again before the worker has let go of
     * it. A database that was failed over may have forgotten that we took the lane and would give us the same fence once
     * more: what the worker settles late would then pass for the work of its successor.
     */
    private final Map<Integer, Lane> leaving = new ConcurrentHashMap<>();

    private final Semaphore wake = new Semaphore(0);
    private final OutageLog database;
    private Runnable newLanes = () -> {};
    private BooleanSupplier serving = () -> true;
    private Consumer<StoreReplacedException> replaced = reason -> {};
    private @Nullable ExecutorService thread;
    private volatile boolean stopped;

    LaneKeeper(OutboxStore store, RelaySettings settings, PublishCounter progress) {
        this.store = store;
        this.settings = settings;
        this.progress = progress;
        this.database = new OutageLog("Relay " + settings.name() + " cannot renew its leases");
    }

    void onNewLanes(Runnable action) {
        newLanes = action;
    }

    /** @param reachesBroker whether this relay can publish what it claims */
    void serveWhile(BooleanSupplier reachesBroker) {
        serving = reachesBroker;
    }

    /** Something has changed that the others should know: beat now. */
    void hint() {
        wake.release();
    }

    void onReplaced(Consumer<StoreReplacedException> action) {
        replaced = action;
    }

    Collection<Lane> lanes() {
        return lanes.values();
    }

    void start() {
        thread = Threads.start(settings.ticker(), "waybill-keeper", this);
    }

    /** Renews no lease any more, so that all of them expire, whatever becomes of this process. Needs no memory. */
    void abandon() {
        stopped = true;
        wake.release();
    }

    /** Ends the heartbeat, then gives up every lane and leaves the roll. */
    void stop() {
        stopped = true;
        wake.release();
        if (thread != null) {
            Threads.join(thread, settings.stopLimit());
        }
        try {
            store.leave(settings.name());
        } catch (WaybillException e) {
            database.raise(e);
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
                    beat();
                    database.clear();
                } catch (StoreReplacedException e) {
                    lanes.clear();
                    replaced.accept(e);
                    return;
                } catch (RuntimeException e) {
                    database.raise(e);
                }
                if (!stopped) { // asked again, because its permit may be drained
                    settings.ticker().acquire(wake, pause);
                }
            }
        } catch (InterruptedException e) {
            throw Threads.interrupted(e);
        }
    }

    void beat() {
        long sent = settings.ticker().nanos();
        RelayRoster roll = store.heartbeat(progress.report(settings.name(), serving.getAsBoolean()), settings.lease());
        confirm(roll, sent);
        giveUpForgotten(roll);
        int share = share(roll);
        giveUpSurplus(share);
        takeMissing(roll, share);
    }

    /** Renews what is still ours and forgets what is not, or is no lane any more. */
    private void confirm(RelayRoster roll, long sent) {
        Set<Integer> there =
                roll.lanes().stream().map(RelayRoster.Ownership::lane).collect(Collectors.toSet());
        lanes.values().stream().filter(lane -> !there.contains(lane.number())).forEach(this::lost);
        for (RelayRoster.Ownership row : roll.lanes()) {
            Lane lane = lanes.get(row.lane());
            if (lane == null) {
                continue;
            }
            Lease lease = lane.lease();
            if (row.owner().equals(settings.name()) && row.fence() == lease.fence()) {
                lane.renewed(sent, row.remaining());
            } else if (!lane.surrendered()) {
                lost(lane);
            }
        }
    }

    /**
     * A lane that is ours and not worked: the answer to its taking got lost, or its release did not get through. Our own
     * heartbeats would keep it from everyone for ever. Only this thread takes lanes, so it is not one that was just won.
     */
    private void giveUpForgotten(RelayRoster roll) {
        for (RelayRoster.Ownership row : roll.lanes()) {
            if (row.owner().equals(settings.name()) && !lanes.containsKey(row.lane())) {
                release(new Lease(row.lane(), settings.name(), row.fence()));
            }
        }
    }

    private int share(RelayRoster roll) {
        List<String> sharing = roll.serving().isEmpty() ? roll.relays() : roll.serving();
        int rank = sharing.indexOf(settings.name());
        if (rank < 0 && !sharing.isEmpty()) {
            return 0;
        }
        int relays = Math.max(1, sharing.size());
        int total = roll.lanes().size();
        return total / relays + (rank >= 0 && rank < total % relays ? 1 : 0);
    }

    private void giveUpSurplus(int share) {
        List<Lane> kept =
                lanes.values().stream().filter(lane -> !lane.surrendered()).toList();
        for (Lane lane : kept.subList(Math.min(share, kept.size()), kept.size())) {
            if (lane.surrender()) {
                giveUp(lane);
            }
        }
    }

    private void takeMissing(RelayRoster roll, int share) {
        boolean taken = false;
        for (RelayRoster.Ownership row : roll.lanes()) {
            if (lanes.size() >= share) {
                break;
            }
            if (row.available() && !lanes.containsKey(row.lane()) && !leaving.containsKey(row.lane())) {
                long sent = settings.ticker().nanos();
                Optional<Lease> lease = store.acquire(settings.name(), row.lane(), settings.lease());
                lease.ifPresent(won -> lanes.put(
                        row.lane(), new Lane(won, sent + settings.lease().toNanos(), settings.ticker())));
                taken |= lease.isPresent();
            }
        }
        if (taken) {
            newLanes.run();
        }
    }

    /** A worker is done with the lane. */
    void finished(Lane lane) {
        if (lane.end()) {
            giveUp(lane);
        }
        leaving.remove(lane.number(), lane);
    }

    /** The lane is another's, or none any more. */
    void lost(Lane lane) {
        if (lanes.remove(lane.number(), lane)) {
            // noted before it is asked: a worker that ends in between takes the note away
            leaving.put(lane.number(), lane);
            if (lane.surrender()) {
                leaving.remove(lane.number(), lane);
            }
            progress.listener().leaseLost(lane.lease());
        }
    }

    private void giveUp(Lane lane) {
        if (lanes.remove(lane.number(), lane)) {
            release(lane.lease());
        }
    }

    private void release(Lease lease) {
        try {
            store.release(lease);
        } catch (WaybillException e) {
            database.raise(e); // the next heartbeat tries again
        }
    }
}

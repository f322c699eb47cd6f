package io.waybill.relay;

import io.waybill.relay.RelayListener.PollResult;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.OutboxStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/**
 * Finds idle lanes that have work and hands them to the workers: one query for all lanes. While nothing is found its pause is
 * the poll interval for a while, since more often comes soon, and then doubles up to the idle limit.
 */
final class Poller implements Runnable {
    /** So many looks in vain until they become rarer. */
    private static final int PATIENCE = 8;

    private final OutboxStore store;
    private final RelaySettings settings;
    private final LaneKeeper keeper;
    private final LaneRunner runner;
    private final CircuitBreaker breaker;
    private final ExecutorService workers;
    private final BooleanSupplier stopping;
    private final SharedBatch party;
    private final Semaphore hints = new Semaphore(0);
    private final OutageLog database;

    Poller(
            OutboxStore store,
            RelaySettings settings,
            LaneKeeper keeper,
            LaneRunner runner,
            CircuitBreaker breaker,
            ExecutorService workers,
            BooleanSupplier stopping) {
        this.store = store;
        this.settings = settings;
        this.keeper = keeper;
        this.runner = runner;
        this.breaker = breaker;
        this.workers = workers;
        this.stopping = stopping;
        this.party = new SharedBatch(store, settings, keeper, runner, this::serveAlone);
        this.database = new OutageLog("Relay " + settings.name() + " cannot look for events");
    }

    void hint() {
        hints.release();
    }

    @Override
    public void run() {
        Duration pause = settings.pollEvery();
        int inVain = 0;
        try {
            while (!stopping.getAsBoolean()) {
                inVain = lookAndTell() ? 0 : inVain + 1;
                pause = inVain <= PATIENCE ? settings.pollEvery() : longer(pause);
                if (settings.ticker().acquire(hints, pause)) {
                    hints.drainPermits();
                    inVain = 0;
                }
            }
        } catch (InterruptedException e) {
            throw Threads.interrupted(e);
        }
    }

    private Duration longer(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(settings.idleLimit()) < 0 ? doubled : settings.idleLimit();
    }

    private boolean lookAndTell() {
        long began = settings.ticker().nanos();
        PollResult result = poll();
        settings.listener().polled(result, Duration.ofNanos(settings.ticker().nanos() - began));
        return result == PollResult.FOUND;
    }

    private PollResult poll() {
        try {
            breaker.probeIfDue();
            if (breaker.isOpen()) {
                return PollResult.EMPTY;
            }
            boolean found = false;
            List<Integer> asked = new ArrayList<>();
            List<Lane> idle = new ArrayList<>();
            for (Lane lane : keeper.lanes()) {
                if (lane.idle() && lane.inDoubt()) {
                    found |= submit(lane);
                } else if (lane.idle() && lane.fresh()) {
                    asked.add(lane.number());
                    idle.add(lane);
                }
            }
            if (!asked.isEmpty()) {
                Set<Integer> ready = store.ready(asked);
                for (Lane lane : idle) {
                    if (ready.contains(lane.number())) {
                        found |= submit(lane);
                    }
                }
                if (party.running()) {
                    // the others too: they cost next to nothing there, and what they get is seen sooner
                    idle.stream().filter(Lane::sociable).forEach(this::submit);
                }
            }
            database.clear();
            return found ? PollResult.FOUND : PollResult.EMPTY;
        } catch (RuntimeException e) {
            database.raise(e);
            return PollResult.FAILED;
        }
    }

    private boolean submit(Lane lane) {
        if (!lane.begin()) {
            return false;
        }
        if (lane.sociable()) {
            return !party.join(lane) || host();
        }
        if (serveAlone(lane, List.of())) {
            return true;
        }
        keeper.finished(lane);
        return false;
    }

    /** @return false when the relay was closed in this moment */
    private boolean serveAlone(Lane lane, List<ClaimedEvent> claims) {
        return execute(() -> serve(lane, claims));
    }

    /** Lanes take turns: one that still has work after its slice goes to the end of the workers' queue. */
    private void serve(Lane lane, List<ClaimedEvent> claims) {
        boolean goesOn = false;
        try {
            goesOn = runner.runSlice(lane, claims) && serveAlone(lane, List.of());
        } finally {
            if (!goesOn) {
                keeper.finished(lane); // whatever has ended the worker: a lane that stays busy is worked by nobody
            }
        }
    }

    private boolean host() {
        if (execute(this::serveParty)) {
            return true;
        }
        party.end();
        return false;
    }

    private void serveParty() {
        boolean goesOn = false;
        try {
            goesOn = party.runSlice() && execute(this::serveParty);
        } finally {
            if (!goesOn && party.end()) {
                hint(); // all its lanes were busy, so the looks had become rare
            }
        }
    }

    private boolean execute(Runnable task) {
        try {
            workers.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the relay was closed in this moment
        }
    }
}

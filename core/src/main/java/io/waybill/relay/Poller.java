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
 * Finds idle lanes that have events, with one query for all lanes, and submits them to the workers. After a poll that finds nothing
 * the pause is the poll interval at first, since the next event often comes soon. After several empty polls it doubles up to the
 * idle limit.
 */
final class Poller implements Runnable {
    /** The number of empty polls in a row before the pause grows. */
    private static final int EMPTY_POLLS_BEFORE_BACK_OFF = 8;

    private final OutboxStore store;
    private final RelaySettings settings;
    private final LaneCoordinator coordinator;
    private final LaneRunner runner;
    private final CircuitBreaker breaker;
    private final PauseWatch pauses;
    private final ExecutorService workers;
    private final BooleanSupplier stopping;
    private final SharedBatch sharedBatch;
    private final Semaphore hints = new Semaphore(0);
    private final OutageLog outages;

    Poller(
            OutboxStore store,
            RelaySettings settings,
            LaneCoordinator coordinator,
            LaneRunner runner,
            CircuitBreaker breaker,
            PauseWatch pauses,
            ExecutorService workers,
            BooleanSupplier stopping) {
        this.store = store;
        this.settings = settings;
        this.coordinator = coordinator;
        this.runner = runner;
        this.breaker = breaker;
        this.pauses = pauses;
        this.workers = workers;
        this.stopping = stopping;
        this.sharedBatch = new SharedBatch(store, settings, coordinator, runner, this::runAlone);
        this.outages = new OutageLog("Relay " + settings.name() + " cannot poll for events");
    }

    void hint() {
        hints.release();
    }

    @Override
    public void run() {
        Duration pause = settings.pollEvery();
        int emptyPolls = 0;
        try {
            while (!stopping.getAsBoolean()) {
                emptyPolls = pollAndReport() ? 0 : emptyPolls + 1;
                pause = emptyPolls <= EMPTY_POLLS_BEFORE_BACK_OFF ? settings.pollEvery() : longer(pause);
                if (settings.ticker().acquire(hints, pause)) {
                    hints.drainPermits();
                    emptyPolls = 0;
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

    private boolean pollAndReport() {
        long began = settings.ticker().nanos();
        PollResult result = poll();
        settings.listener().polled(result, Duration.ofNanos(settings.ticker().nanos() - began));
        return result == PollResult.FOUND;
    }

    private PollResult poll() {
        try {
            breaker.probeIfDue();
            if (breaker.isOpen() || pauses.stopsRelay()) {
                return PollResult.EMPTY;
            }
            boolean found = false;
            List<Integer> numbers = new ArrayList<>();
            List<Lane> idle = new ArrayList<>();
            for (Lane lane : coordinator.lanes()) {
                if (lane.idle() && lane.inDoubt()) {
                    found |= submit(lane);
                } else if (lane.idle() && lane.leaseValid()) {
                    numbers.add(lane.number());
                    idle.add(lane);
                }
            }
            if (!numbers.isEmpty()) {
                Set<Integer> ready = store.ready(numbers);
                for (Lane lane : idle) {
                    if (ready.contains(lane.number())) {
                        found |= submit(lane);
                    }
                }
                if (sharedBatch.running()) {
                    // The other idle lanes join the shared batch as well: this costs almost nothing, and their next
                    // events are claimed sooner.
                    idle.stream().filter(Lane::canShareBatch).forEach(this::submit);
                }
            }
            outages.clear();
            return found ? PollResult.FOUND : PollResult.EMPTY;
        } catch (RuntimeException e) {
            outages.raise(e);
            return PollResult.FAILED;
        }
    }

    private boolean submit(Lane lane) {
        if (!lane.begin()) {
            return false;
        }
        if (lane.canShareBatch()) {
            return !sharedBatch.join(lane) || startSharedBatch();
        }
        if (runAlone(lane, List.of())) {
            return true;
        }
        coordinator.finished(lane);
        return false;
    }

    /** @return false if the relay is being closed */
    private boolean runAlone(Lane lane, List<ClaimedEvent> claims) {
        return execute(() -> serve(lane, claims));
    }

    /** Lanes take turns: a lane that has more events after its time slice is queued behind the other lanes. */
    private void serve(Lane lane, List<ClaimedEvent> claims) {
        boolean continues = false;
        try {
            continues = runner.runSlice(lane, claims) && runAlone(lane, List.of());
        } finally {
            if (!continues) {
                coordinator.finished(lane); // even after an error: a lane that stays busy is never served
            }
        }
    }

    private boolean startSharedBatch() {
        if (execute(this::runSharedBatch)) {
            return true;
        }
        sharedBatch.end();
        return false;
    }

    private void runSharedBatch() {
        boolean continues = false;
        try {
            continues = sharedBatch.runSlice() && execute(this::runSharedBatch);
        } finally {
            if (!continues && sharedBatch.end()) {
                hint(); // polls became rare while the shared batch kept all lanes busy
            }
        }
    }

    private boolean execute(Runnable task) {
        try {
            workers.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the relay is being closed
        }
    }
}

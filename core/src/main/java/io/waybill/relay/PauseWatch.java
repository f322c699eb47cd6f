package io.waybill.relay;

import io.waybill.admin.OutboxPause;
import io.waybill.internal.LogText;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the pauses of operators about twice a second. A pause of the relay stops its claims. An event of a paused topic, type or key
 * is held like an event whose destination is unavailable: it counts no attempt, and later events of its key are parked behind it.
 *
 * <p>When a pause ends, this class wakes up the events that the pause held: it makes them due. A batch that began before the end
 * may settle held events after the wake-up; they would then stay held until their next attempt. Therefore the worker checks after
 * each settlement whether the pause still exists, see {@link #settled}. Either this check finds the new pauses and requests
 * another wake-up, or the pauses were replaced after the settlement, and the wake-up that follows finds the settled rows. If the
 * relay crashes in between, the next owner of the lane wakes up the events.
 */
final class PauseWatch implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final Duration EVERY = Duration.ofMillis(500);

    /** Maximum number of events that one transaction makes due. */
    private static final int CHUNK = 500;

    private final OutboxStore store;
    private final RelaySettings settings;
    private final LaneCoordinator coordinator;
    private final Semaphore wake = new Semaphore(0);
    private final OutageLog outages;
    private Runnable onChange = () -> {};
    private @Nullable ExecutorService thread;
    private volatile Pauses current;
    private volatile boolean wakeUp;
    private volatile boolean anyPauseSoFar;
    private volatile boolean stopped;

    PauseWatch(OutboxStore store, RelaySettings settings, LaneCoordinator coordinator) {
        this.store = store;
        this.settings = settings;
        this.coordinator = coordinator;
        this.current = store.supportsPauses() ? Pauses.UNKNOWN : Pauses.NONE;
        this.outages = new OutageLog("Relay " + settings.name() + " cannot read the pauses of operators");
    }

    /** @param action runs when events may have become due */
    void onChange(Runnable action) {
        onChange = action;
    }

    Pauses current() {
        return current;
    }

    boolean stopsRelay() {
        return current.stopsRelay();
    }

    /** Whether an operator has paused this relay, so that other relays should take over its lanes. */
    boolean relayIsPaused() {
        return current.relay() != null;
    }

    void start() {
        if (store.supportsPauses()) {
            thread = Threads.start(settings.ticker(), "waybill-pauses", this);
        }
    }

    void stop() {
        stopped = true;
        wake.release();
        if (thread != null) {
            Threads.join(thread, settings.stopLimit());
        }
    }

    /** Requests a wake-up, because a pause that has ended may have held events of the acquired lanes. */
    void lanesAcquired() {
        if (store.supportsPauses()) {
            wakeUp = true;
            wake.release();
        }
    }

    /** Requests a wake-up if a settled event was held by a pause that has ended. Workers call this after each settlement. */
    void settled(List<PublishOutcome> outcomes) {
        if (!anyPauseSoFar) {
            return;
        }
        Pauses now = current;
        for (PublishOutcome outcome : outcomes) {
            if (outcome instanceof PublishOutcome.Retry retry
                    && isHeld(retry)
                    && !now.reasons().contains(retry.error())) {
                wakeUp = true;
                wake.release();
                return;
            }
        }
    }

    /** Whether the event was held by a pause and did not fail. */
    static boolean isHeld(PublishOutcome.Retry retry) {
        return !retry.counted() && retry.error().startsWith(OutboxPause.HELD);
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                try {
                    refresh();
                    outages.clear();
                } catch (RuntimeException e) {
                    outages.raise(e);
                }
                if (!stopped && settings.ticker().acquire(wake, EVERY)) {
                    wake.drainPermits();
                }
            }
        } catch (InterruptedException e) {
            throw Threads.interrupted(e);
        }
    }

    /** Reads the pauses, and makes events due whose pause has ended. */
    void refresh() {
        if (!store.supportsPauses()) {
            return;
        }
        Pauses before = current;
        Pauses now = Pauses.of(store.pauses(), settings.name());
        if (!now.reasons().isEmpty()) {
            anyPauseSoFar = true;
        }
        current = now;
        boolean changed = before.stopsRelay() != now.stopsRelay();
        if (changed) {
            report(before, now);
            coordinator.heartbeatNow();
        }
        if (wakeUp || !now.reasons().containsAll(before.reasons())) {
            wakeUp = false; // before the search: a worker may request another one during it
            try {
                changed |= wakeHeldEvents(now);
            } catch (RuntimeException e) {
                wakeUp = true;
                throw e;
            }
        }
        if (changed) {
            onChange.run();
        }
    }

    /** @return whether any event became due */
    private boolean wakeHeldEvents(Pauses now) {
        boolean any = false;
        for (Lane lane : List.copyOf(coordinator.lanes())) {
            int woken = CHUNK;
            while (woken >= CHUNK && !stopped) {
                woken = store.wakeHeld(lane.number(), now.reasons(), CHUNK);
                any |= woken > 0;
            }
        }
        return any;
    }

    private void report(Pauses before, Pauses now) {
        OutboxPause pause = now.relay();
        if (pause != null) {
            LOG.info(
                    "Relay {} is paused by {}: {}",
                    settings.name(),
                    LogText.oneLine(pause.actor()),
                    LogText.oneLine(pause.reason()));
        } else if (before.relay() != null) {
            LOG.info("Relay {} is resumed", settings.name());
        }
    }
}

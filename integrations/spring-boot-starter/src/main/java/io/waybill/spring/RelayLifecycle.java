package io.waybill.spring;

import io.waybill.internal.LogText;
import io.waybill.relay.Relay;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the relay as a part of the application's lifecycle. The relay starts last, after migrations and the web server, on its own
 * threads or, with {@code waybill.relay.every}, at an interval. When the application stops, the relay settles the events in flight
 * and releases its lanes.
 */
public final class RelayLifecycle implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(RelayLifecycle.class);

    private final WaybillProperties.Relay settings;
    private final Destination destination;
    private final Supplier<Relay> relays;
    private volatile @Nullable Relay relay;
    private volatile @Nullable String failure;
    private @Nullable ScheduledExecutorService schedule;

    RelayLifecycle(WaybillProperties.Relay settings, Destination destination, Supplier<Relay> relays) {
        this.settings = settings;
        this.destination = destination;
        this.relays = relays;
    }

    /** Hints that a transaction has committed, so that the relay looks for events now. Cheap. */
    public void hint() {
        Relay current = relay;
        if (current != null) {
            current.hint();
        }
    }

    /**
     * Publishes all pending events of the lanes that no other relay owns, and returns: for jobs and tests. Works also when the relay
     * is not enabled. With the in-process transport, the handlers have run when it returns; failed ones are retried later.
     *
     * @return the number of published events
     */
    public long runOnce() {
        destination.require();
        try (Relay once = relays.get()) {
            return once.runOnce();
        }
    }

    /** Whether events go to this application's own handlers, without a broker. */
    public boolean isInProcess() {
        return destination.isInProcess();
    }

    @Override
    public synchronized void start() {
        if (isRunning() || !settings.enabled() || !destination.exists()) {
            return;
        }
        Duration every = settings.every();
        if (every == null) {
            Relay started = relays.get();
            failure = null;
            started.start();
            started.ended().thenAccept(reason -> ended(started, String.valueOf(reason.getMessage())));
            relay = started;
        } else {
            schedule = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "waybill-schedule");
                thread.setDaemon(true);
                return thread;
            });
            ScheduledFuture<?> unused =
                    schedule.scheduleWithFixedDelay(this::publish, 0, every.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void publish() {
        try (Relay next = relays.get()) {
            relay = next;
            next.runOnce();
        } catch (RuntimeException e) {
            LOG.warn(
                    "Cannot publish pending events: {} Retrying in {}.",
                    LogText.oneLine(e.getMessage()),
                    settings.every());
        } finally {
            relay = null;
        }
    }

    /** Returns the reason why the relay ended by itself: an error, or tables that were moved to another engine. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    private synchronized void ended(Relay by, String reason) {
        if (relay == by) {
            relay = null;
            failure = reason;
        }
    }

    @Override
    public synchronized void stop() {
        ScheduledExecutorService timer = schedule;
        if (timer != null) {
            timer.shutdown();
        }
        Relay current = relay;
        if (current != null) {
            current.close();
        }
        if (timer != null) {
            await(timer);
        }
        schedule = null;
        relay = null;
    }

    private void await(ScheduledExecutorService timer) {
        try {
            if (!timer.awaitTermination(settings.stopLimit().toMillis(), TimeUnit.MILLISECONDS)) {
                timer.shutdownNow();
            }
        } catch (InterruptedException e) {
            timer.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the relay runs. */
    @Override
    public boolean isRunning() {
        return relay != null || schedule != null;
    }

    @Override
    public int getPhase() {
        return InboxConsumer.PHASE + 1;
    }
}

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
 * Publishes what was appended: the relay as a part of the application's lifecycle. It starts last, after migrations and the web
 * server, on threads of its own or, with {@code waybill.relay.every}, at an interval. When the application stops it settles what is
 * in flight and hands its lanes over at once.
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

    /** Looks now, because something was committed; cheap. */
    public void hint() {
        Relay current = relay;
        if (current != null) {
            current.hint();
        }
    }

    /**
     * Publishes everything that is pending in the lanes that no other relay owns, and returns: for a job, and for tests. Works
     * when the relay is not enabled, too. In process, handlers have run when it returns; those that failed are tried again later.
     *
     * @return how many events were published
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
            LOG.warn("Cannot publish what is pending: {} Trying on.", LogText.oneLine(e.getMessage()));
        } finally {
            relay = null;
        }
    }

    /** Why the relay ended by itself, if it did: an error, or tables that were moved to another engine. */
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

    /** Whether it publishes. */
    @Override
    public boolean isRunning() {
        return relay != null || schedule != null;
    }

    @Override
    public int getPhase() {
        return InboxConsumer.PHASE + 1;
    }
}

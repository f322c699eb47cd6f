package io.waybill.spring.internal.relay;

import io.waybill.internal.DaemonThreads;
import io.waybill.internal.LogText;
import io.waybill.relay.Relay;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.WaybillProperties;
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

/** The relay of the application, which starts after its inbox. */
final class ApplicationRelay implements RelayLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(RelayLifecycle.class);

    private final WaybillProperties.Relay settings;
    private final Destination destination;
    private final InboxConsumer consumer;
    private final Supplier<Relay> relays;
    private volatile @Nullable Relay relay;
    private volatile @Nullable String failure;
    private @Nullable ScheduledExecutorService schedule;

    ApplicationRelay(
            WaybillProperties.Relay settings, Destination destination, InboxConsumer consumer, Supplier<Relay> relays) {
        this.settings = settings;
        this.destination = destination;
        this.consumer = consumer;
        this.relays = relays;
    }

    @Override
    public void hint() {
        Relay current = relay;
        if (current != null) {
            current.hint();
        }
    }

    @Override
    public long runOnce() {
        destination.require();
        try (Relay once = relays.get()) {
            return once.runOnce();
        }
    }

    @Override
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
            schedule = Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("waybill-schedule", 1));
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

    @Override
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

    @Override
    public boolean isRunning() {
        return relay != null || schedule != null;
    }

    @Override
    public int getPhase() {
        return consumer.getPhase() + 1;
    }
}

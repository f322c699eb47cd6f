package io.waybill.relay;

import io.waybill.Event;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.transport.Failure;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Protects the relay from exceptions of a listener. An exception between an acknowledgement and its settlement would make the relay
 * publish the batch again and again. The first exception is logged. Errors of the JVM, such as a lack of memory, are rethrown.
 */
final class SafeListener implements RelayListener {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private final RelayListener listener;
    private final AtomicBoolean logged = new AtomicBoolean();

    SafeListener(RelayListener listener) {
        this.listener = listener;
    }

    private void call(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException | StackOverflowError e) {
            log(e);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Error e) {
            log(e);
        }
    }

    private void log(Throwable e) {
        if (logged.compareAndSet(false, true)) {
            LOG.warn(
                    "Listener {} failed with {}. The relay continues; further failures of this listener are not logged.",
                    listener.getClass().getName(),
                    e,
                    e);
        }
    }

    @Override
    public void published(Event event, Duration latency) {
        call(() -> listener.published(event, latency));
    }

    @Override
    public void failed(Event event, Failure failure) {
        call(() -> listener.failed(event, failure));
    }

    @Override
    public void attempted(PublishOutcome outcome, @Nullable Failure failure, Duration took) {
        call(() -> listener.attempted(outcome, failure, took));
    }

    @Override
    public void deadLettered(Event event, String reason) {
        call(() -> listener.deadLettered(event, reason));
    }

    @Override
    public void batch(int size) {
        call(() -> listener.batch(size));
    }

    @Override
    public void polled(PollResult result, Duration took) {
        call(() -> listener.polled(result, took));
    }

    @Override
    public void leaseLost(Lease lease) {
        call(() -> listener.leaseLost(lease));
    }

    @Override
    public void fenceRejected(Lease lease) {
        call(() -> listener.fenceRejected(lease));
    }

    @Override
    public void outageBegan(String reason) {
        call(() -> listener.outageBegan(reason));
    }

    @Override
    public void outageEnded(Duration duration) {
        call(() -> listener.outageEnded(duration));
    }
}

package io.waybill.inbox.internal.handling;

import io.waybill.Event;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.time.Ticker;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Protects the inbox from exceptions of a listener. */
public final class GuardedListener implements InboxListener {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final long BETWEEN_LOGS = 60_000_000_000L;

    private final InboxListener listener;
    private final String group;
    private final Ticker ticker;
    private long mayLogAt;

    public GuardedListener(InboxListener listener, String group, Ticker ticker) {
        this.listener = listener;
        this.group = group;
        this.ticker = ticker;
        this.mayLogAt = ticker.nanos();
    }

    @Override
    public void handled(Event event, InboxOutcome outcome, Duration took) {
        guard(() -> listener.handled(event, outcome, took));
    }

    @Override
    public void poison(ReceivedMessage message, String reason) {
        guard(() -> listener.poison(message, reason));
    }

    @Override
    public void failed(Event event, FailureKind verdict, Throwable cause) {
        guard(() -> listener.failed(event, verdict, cause));
    }

    @Override
    public void outageBegan(String reason) {
        guard(() -> listener.outageBegan(reason));
    }

    @Override
    public void outageEnded(Duration duration) {
        guard(() -> listener.outageEnded(duration));
    }

    private void guard(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) { // an error of a listener would block the partition, just as an exception would
            logFailure(e);
        }
    }

    private synchronized void logFailure(Throwable error) {
        if (ticker.nanos() - mayLogAt >= 0) {
            mayLogAt = ticker.nanos() + BETWEEN_LOGS;
            LOG.warn("A listener of group {} failed. Event handling is not affected.", group, error);
        }
    }
}

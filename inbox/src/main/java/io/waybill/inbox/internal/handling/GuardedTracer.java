package io.waybill.inbox.internal.handling;

import io.waybill.Event;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxTracer;
import io.waybill.inbox.ReceivedMessage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Protects the inbox from exceptions of a tracer. The first exception is logged. */
public final class GuardedTracer implements InboxTracer {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    private final InboxTracer tracer;
    private final AtomicBoolean logged = new AtomicBoolean();

    private GuardedTracer(InboxTracer tracer) {
        this.tracer = tracer;
    }

    public static InboxTracer of(InboxTracer tracer) {
        return tracer == NONE ? NONE : new GuardedTracer(tracer);
    }

    @Override
    public Attempt attempt(ReceivedMessage message, Event event, int failures) {
        return new GuardedAttempt(guard(() -> tracer.attempt(message, event, failures), Attempt.NONE));
    }

    private <R> R guard(Supplier<R> call, R otherwise) {
        try {
            return call.get();
        } catch (Throwable e) { // an error of a tracer would block the partition, just as an exception would
            if (logged.compareAndSet(false, true)) {
                LOG.warn(
                        "Tracer {} failed. Event handling is not affected; further failures of this tracer are not logged.",
                        tracer.getClass().getName(),
                        e);
            }
            return otherwise;
        }
    }

    private void guard(Runnable call) {
        guard(
                () -> {
                    call.run();
                    return true;
                },
                false);
    }

    private final class GuardedAttempt implements Attempt {
        private final Attempt attempt;

        GuardedAttempt(Attempt attempt) {
            this.attempt = attempt;
        }

        @Override
        public Runnable enter() {
            Runnable leave = guard(attempt::enter, () -> {});
            return () -> guard(leave);
        }

        @Override
        public Event handed(Event event) {
            return guard(() -> attempt.handed(event), event);
        }

        @Override
        public void ended(@Nullable InboxOutcome outcome, @Nullable Throwable cause) {
            guard(() -> attempt.ended(outcome, cause));
        }
    }
}

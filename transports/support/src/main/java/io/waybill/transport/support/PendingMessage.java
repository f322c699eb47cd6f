package io.waybill.transport.support;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A message without a result. Only the first result reaches its {@link Delivery}: the broker's client, the timeout check and the closing
 * of the transport may each report one, in any order.
 */
public class PendingMessage {
    private static final Logger log = LoggerFactory.getLogger(PendingMessage.class);

    private final Message message;
    private final Delivery delivery;
    private final InFlight inFlight;
    private final long startedAt = System.nanoTime();
    private final AtomicBoolean completed = new AtomicBoolean();
    private volatile boolean failed;

    /** Creates a message that is not in flight yet; see {@link InFlight#add}. */
    public PendingMessage(Message message, Delivery delivery, InFlight inFlight) {
        this.message = message;
        this.delivery = delivery;
        this.inFlight = inFlight;
    }

    public final Message message() {
        return message;
    }

    /** Describes the event for error messages. */
    public final String event() {
        return "event " + message.id() + " (topic " + message.topic() + ", key " + message.key() + ")";
    }

    final long ageNanos() {
        return System.nanoTime() - startedAt;
    }

    public final boolean isCompleted() {
        return completed.get();
    }

    public final boolean hasFailed() {
        return failed;
    }

    public final void acknowledged() {
        complete(null);
    }

    public final void failed(Failure failure) {
        complete(failure);
    }

    private void complete(@Nullable Failure failure) {
        if (!completed.compareAndSet(false, true)) {
            return;
        }
        failed = failure != null;
        try {
            if (failure == null) {
                delivery.acknowledged();
            } else {
                delivery.failed(failure);
            }
        } catch (RuntimeException e) {
            // The exception must not end this thread: it belongs to the broker's client and serves other messages.
            log.error("The callback for {} failed; its result is lost.", event(), e);
        } finally {
            // Only after the callback: close() waits until no message is in flight, and must not return before that.
            inFlight.remove(this);
        }
    }
}

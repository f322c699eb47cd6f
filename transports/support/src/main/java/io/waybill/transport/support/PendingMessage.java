package io.waybill.transport.support;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One message on its way. Its {@link Delivery} hears the first result only: the watch, a closing transport and the
 * broker's own client may all have something to say, in any order.
 */
public class PendingMessage {
    private static final Logger log = LoggerFactory.getLogger(PendingMessage.class);

    private final Message message;
    private final Delivery delivery;
    private final InFlight inFlight;
    private final long startedAt = System.nanoTime();
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile boolean failed;

    /** Not in flight yet: see {@link InFlight#add}. */
    public PendingMessage(Message message, Delivery delivery, InFlight inFlight) {
        this.message = message;
        this.delivery = delivery;
        this.inFlight = inFlight;
    }

    public final Message message() {
        return message;
    }

    /** The event in words, for the reason of a failure. */
    public final String event() {
        return "event " + message.id() + " (topic " + message.topic() + ", key " + message.key() + ")";
    }

    final long ageNanos() {
        return System.nanoTime() - startedAt;
    }

    public final boolean isTold() {
        return told.get();
    }

    public final boolean hasFailed() {
        return failed;
    }

    public final void acknowledged() {
        tell(null);
    }

    public final void failed(Failure failure) {
        tell(failure);
    }

    private void tell(@Nullable Failure failure) {
        if (!told.compareAndSet(false, true)) {
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
            // This is a thread of the broker's client: it must live on for the other messages.
            log.error("The receiver of the result of {} failed. Its result is lost.", event(), e);
        } finally {
            // Not before: a transport that closes waits for this, and must not return while a result is still untold.
            inFlight.remove(this);
        }
    }
}

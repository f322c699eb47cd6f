package io.waybill.inbox;

import io.waybill.WaybillException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The inbox is paused: its database is down, or several events in a row failed. The outcome of the event is undecided and no attempt was
 * counted. Deliver the event again after {@link #retryAfter()}, before later events of its key.
 */
public final class OutageException extends WaybillException {
    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;
    private final int decided;

    public OutageException(String message, Duration retryAfter, @Nullable Throwable cause) {
        this(message, retryAfter, 0, cause);
    }

    private OutageException(String message, Duration retryAfter, int decided, @Nullable Throwable cause) {
        super(message, cause);
        this.retryAfter = retryAfter;
        this.decided = decided;
    }

    OutageException after(int decidedBefore) {
        return new OutageException(String.valueOf(getMessage()), retryAfter, decidedBefore, getCause());
    }

    /**
     * The number of messages of the same call whose outcome was decided before the outage; the broker may discard these. Zero for a
     * single message.
     */
    public int decided() {
        return decided;
    }

    public Duration retryAfter() {
        return retryAfter;
    }
}

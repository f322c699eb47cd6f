package io.waybill.inbox;

import io.waybill.WaybillException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The inbox is paused: its database, or everything that its handlers need, is out. Nothing was decided about the event and no
 * attempt was counted; deliver it again after {@link #retryAfter()}, and nothing of its key before.
 */
public final class OutageException extends WaybillException {
    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;
    private final int decided;

    OutageException(String message, Duration retryAfter, @Nullable Throwable cause) {
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
     * How many of the messages that were handed over together were decided before this one: the broker may forget these. Zero for
     * a single message.
     */
    public int decided() {
        return decided;
    }

    public Duration retryAfter() {
        return retryAfter;
    }
}

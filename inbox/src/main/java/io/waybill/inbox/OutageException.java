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

    OutageException(String message, Duration retryAfter, @Nullable Throwable cause) {
        super(message, cause);
        this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
        return retryAfter;
    }
}

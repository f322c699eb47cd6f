package io.waybill.inbox;

import io.waybill.WaybillException;
import org.jspecify.annotations.Nullable;

/** A handler throws this if the event can never be applied. The event becomes a dead letter at once. */
public class PermanentException extends WaybillException {
    private static final long serialVersionUID = 1L;

    public PermanentException(String message) {
        super(message);
    }

    public PermanentException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package io.waybill;

import org.jspecify.annotations.Nullable;

/** The root of all exceptions of Waybill. The message names what failed and what to do about it. */
public class WaybillException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WaybillException(String message) {
        super(message);
    }

    public WaybillException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package io.waybill.store;

import io.waybill.WaybillException;
import org.jspecify.annotations.Nullable;

/** A database operation failed. It may be unknown whether its writes took place. */
public final class StoreException extends WaybillException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

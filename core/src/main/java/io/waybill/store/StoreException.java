package io.waybill.store;

import io.waybill.WaybillException;
import org.jspecify.annotations.Nullable;

/** The database did not do what was asked; whether a write took place may be unknown. */
public final class StoreException extends WaybillException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

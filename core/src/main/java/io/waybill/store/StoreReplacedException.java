package io.waybill.store;

import io.waybill.WaybillException;

/** The outbox was migrated to another engine. This store can no longer be used, and its relay stops. Nothing was changed. */
public final class StoreReplacedException extends WaybillException {
    private static final long serialVersionUID = 1L;

    public StoreReplacedException(String message) {
        super(message);
    }
}

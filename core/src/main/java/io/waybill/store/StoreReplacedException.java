package io.waybill.store;

import io.waybill.WaybillException;

/** The outbox is kept in another way by now: this store can do nothing more, and its relay ends. Nothing was changed. */
public final class StoreReplacedException extends WaybillException {
    private static final long serialVersionUID = 1L;

    public StoreReplacedException(String message) {
        super(message);
    }
}

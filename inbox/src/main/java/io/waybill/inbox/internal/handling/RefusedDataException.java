package io.waybill.inbox.internal.handling;

import io.waybill.WaybillException;

/** The database answers, but cannot store the given data. A retry would not help. */
final class RefusedDataException extends WaybillException {
    private static final long serialVersionUID = 1L;

    RefusedDataException(WaybillException cause) {
        super(String.valueOf(cause.getMessage()), cause);
    }
}

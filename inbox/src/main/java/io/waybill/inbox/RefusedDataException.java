package io.waybill.inbox;

import io.waybill.WaybillException;

/** The database answers, but does not store what it was given: trying again would not help. */
final class RefusedDataException extends WaybillException {
    private static final long serialVersionUID = 1L;

    RefusedDataException(WaybillException cause) {
        super(String.valueOf(cause.getMessage()), cause);
    }
}

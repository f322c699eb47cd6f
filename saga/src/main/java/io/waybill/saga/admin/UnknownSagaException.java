package io.waybill.saga.admin;

import io.waybill.WaybillException;

/** There is no such saga, definition or step. */
public final class UnknownSagaException extends WaybillException {
    private static final long serialVersionUID = 1L;

    UnknownSagaException(String message) {
        super(message);
    }
}

package io.waybill.admin;

import io.waybill.WaybillException;

/** An operator action does not fit the present state of its event, key or operation. Nothing was changed. */
public final class ActionRefusedException extends WaybillException {
    private static final long serialVersionUID = 1L;

    public ActionRefusedException(String message) {
        super(message);
    }
}

package io.waybill.store;

import io.waybill.WaybillException;

/** The lane has another owner by now: the caller must stop and drop what it holds, nothing was changed. */
public final class FencedException extends WaybillException {
    private static final long serialVersionUID = 1L;

    public FencedException(Lease lease) {
        super("Relay " + lease.relay() + " no longer owns " + lease + ". Its late write was refused.");
    }
}

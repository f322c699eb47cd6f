package io.waybill.store;

import io.waybill.WaybillException;

/** The lane has another owner by now: the caller must stop and drop what it holds, nothing was changed. */
public final class FencedException extends WaybillException {
    private static final long serialVersionUID = 1L;

    private final transient Lease lease;

    public FencedException(Lease lease) {
        super("Relay " + lease.relay() + " no longer owns " + lease + ". Its late write was refused.");
        this.lease = lease;
    }

    /** The one that was lost; others of the same call need not be. */
    public Lease lease() {
        return lease;
    }
}

package io.waybill.store;

import io.waybill.WaybillException;

/** The lane has another owner. Nothing was changed; the caller must stop and drop the claimed events. */
public final class FencedException extends WaybillException {
    private static final long serialVersionUID = 1L;

    private final transient Lease lease;

    public FencedException(Lease lease) {
        super("Relay " + lease.relay() + " no longer owns " + lease + ". Its late write was rejected.");
        this.lease = lease;
    }

    /** The lost lease. Other leases of the same call may still be valid. */
    public Lease lease() {
        return lease;
    }
}

package io.waybill.saga;

import io.waybill.WaybillException;

/**
 * A step throws this exception if it is impossible and has had no effect: out of stock, payment declined. The step is neither repeated
 * nor compensated. Any other exception counts as a failed attempt.
 */
public class RefusedException extends WaybillException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message);
    }
}

package io.waybill.relay;

import io.waybill.time.Ticker;

/** A pause measured by a {@link Ticker}. If the clock jumps back, the pause ends instead of growing by the jump. */
record Pause(long began, long nanos) {
    static final Pause NONE = new Pause(0, 0);

    boolean over(long now) {
        long passed = now - began;
        return passed < 0 || passed >= nanos;
    }
}

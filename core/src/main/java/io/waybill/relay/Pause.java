package io.waybill.relay;

/** A wait on a {@link Ticker}. One that steps back ends it: a wait must not grow by the step. */
record Pause(long began, long nanos) {
    static final Pause NONE = new Pause(0, 0);

    boolean over(long now) {
        long passed = now - began;
        return passed < 0 || passed >= nanos;
    }
}

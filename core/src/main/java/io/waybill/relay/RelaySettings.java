package io.waybill.relay;

import io.waybill.envelope.Envelope;
import io.waybill.retry.RetryPolicy;
import io.waybill.time.Ticker;
import java.time.Duration;

/** The settings of a relay. */
record RelaySettings(
        String name,
        Envelope envelope,
        int batchSize,
        int workers,
        long claimBytes,
        Duration pollEvery,
        Duration idleLimit,
        Duration lease,
        RetryPolicy retry,
        OnDeadLetter onDeadLetter,
        Duration retention,
        Duration stopLimit,
        RelayListener listener,
        Ticker ticker) {

    /** Returns a copy with another listener and another ticker. */
    RelaySettings with(RelayListener otherListener, Ticker otherTicker) {
        return new RelaySettings(
                name,
                envelope,
                batchSize,
                workers,
                claimBytes,
                pollEvery,
                idleLimit,
                lease,
                retry,
                onDeadLetter,
                retention,
                stopLimit,
                otherListener,
                otherTicker);
    }

    /**
     * The interval is short, so that another relay acquires a released lane within about two seconds and a lease
     * survives lost heartbeats.
     */
    Duration heartbeatEvery() {
        Duration third = lease.dividedBy(3);
        return third.compareTo(Duration.ofSeconds(1)) < 0 ? third : Duration.ofSeconds(1);
    }
}

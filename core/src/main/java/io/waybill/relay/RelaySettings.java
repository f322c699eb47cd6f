package io.waybill.relay;

import io.waybill.envelope.Envelope;
import java.time.Duration;

/** What a relay was built with. */
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

    /** The same settings, with these instead of the listener and the clock. */
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

    /** Often enough that a lane changes hands within about two seconds and a lease survives several lost heartbeats. */
    Duration heartbeatEvery() {
        Duration third = lease.dividedBy(3);
        return third.compareTo(Duration.ofSeconds(1)) < 0 ? third : Duration.ofSeconds(1);
    }
}

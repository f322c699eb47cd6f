package io.waybill.relay;

import io.waybill.Event;
import io.waybill.internal.LogText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each event that is given up on, but no more than a few a minute: thousands may share one cause. */
final class DeadLetterLog {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final int MOST = 5;
    private static final long MINUTE = 60_000_000_000L;

    private final Ticker ticker;
    private long since;
    private int logged;
    private int silent;

    DeadLetterLog(Ticker ticker) {
        this.ticker = ticker;
        this.since = ticker.nanos();
    }

    synchronized void add(Event event, String reason) {
        long now = ticker.nanos();
        if (now - since > MINUTE) {
            if (silent > 0) {
                LOG.warn("{} more events became dead letters meanwhile", silent);
            }
            since = now;
            logged = 0;
            silent = 0;
        }
        if (logged < MOST) {
            logged++;
            LOG.warn("Event {} is a dead letter: {}", event, LogText.oneLine(reason));
        } else {
            silent++;
        }
    }
}

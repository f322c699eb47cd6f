package io.waybill.relay;

import io.waybill.Event;
import io.waybill.internal.EventTrace;
import io.waybill.internal.LogText;
import io.waybill.time.Ticker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs dead letters, at most a few per minute: one cause may affect thousands of events. */
final class DeadLetterLog {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final int MOST = 5;
    private static final long MINUTE = 60_000_000_000L;

    private final Ticker ticker;
    private long since;
    private int logged;
    private int suppressed;

    DeadLetterLog(Ticker ticker) {
        this.ticker = ticker;
        this.since = ticker.nanos();
    }

    synchronized void add(Event event, String reason) {
        long now = ticker.nanos();
        if (now - since > MINUTE) {
            if (suppressed > 0) {
                LOG.warn("{} more events became dead letters and were not logged", suppressed);
            }
            since = now;
            logged = 0;
            suppressed = 0;
        }
        if (logged < MOST) {
            logged++;
            EventTrace.logged(event, () -> {
                LOG.warn("Event {} became a dead letter: {}", event, LogText.oneLine(reason));
                return true;
            });
        } else {
            suppressed++;
        }
    }
}

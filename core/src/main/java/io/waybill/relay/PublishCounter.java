package io.waybill.relay;

import io.waybill.store.RelayReport;
import io.waybill.time.Ticker;
import java.util.concurrent.atomic.LongAdder;

/** Counts the events that this relay has published, for its heartbeat. */
final class PublishCounter {
    private final RelayListener listener;
    private final LongAdder published = new LongAdder();
    private long lastCount;
    private final Ticker ticker;
    private long lastNanos;

    PublishCounter(RelayListener listener, Ticker ticker) {
        this.listener = listener;
        this.ticker = ticker;
        this.lastNanos = ticker.nanos();
    }

    RelayListener listener() {
        return listener;
    }

    void published(int events) {
        published.add(events);
    }

    long published() {
        return published.sum();
    }

    /** Only the coordinator may call this method, because the rate covers the time since the previous call. */
    RelayReport report(String name, boolean serving) {
        long count = published.sum();
        long now = ticker.nanos();
        double seconds = Math.max(1e-3, (now - lastNanos) / 1e9);
        double rate = (count - lastCount) / seconds;
        lastCount = count;
        lastNanos = now;
        return new RelayReport(name, RelayIdentity.hostAndPid(), RelayIdentity.version(), count, rate, serving);
    }
}

package io.waybill.testkit.time;

import io.waybill.relay.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A relay's own time, which passes when a test says so, forwards or backwards. The time that decides between relays is the
 * database's; {@link io.waybill.testkit.store.StoreBackend#age} lets that pass.
 */
public final class ManualClock implements Ticker {
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long nanos() {
        return nanos.get();
    }

    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}

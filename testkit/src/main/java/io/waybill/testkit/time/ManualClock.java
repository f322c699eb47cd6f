package io.waybill.testkit.time;

import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A relay's own time, which a test moves forwards or backwards. The time that decides between relays is the database's;
 * {@link io.waybill.testkit.store.StoreBackend#age} lets that pass.
 */
public final class ManualClock implements Ticker {
    private final Ticker base;
    private final AtomicLong moved = new AtomicLong();

    private ManualClock(Ticker base) {
        this.base = base;
    }

    /** Stands still unless it is moved. */
    public static ManualClock standing() {
        return new ManualClock(() -> 0);
    }

    /** Runs as the system's clock does, apart from its moves. */
    public static ManualClock running() {
        return new ManualClock(Ticker.SYSTEM);
    }

    @Override
    public long nanos() {
        return base.nanos() + moved.get();
    }

    /** @param time may be negative */
    public void move(Duration time) {
        moved.addAndGet(time.toNanos());
    }
}

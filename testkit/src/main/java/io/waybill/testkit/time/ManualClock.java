package io.waybill.testkit.time;

import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock of one relay, which a test moves forwards or backwards. Leases follow the clock of the database instead;
 * {@link io.waybill.testkit.store.StoreBackend#age} moves that one.
 */
public final class ManualClock implements Ticker {
    private final Ticker base;
    private final AtomicLong moved = new AtomicLong();

    private ManualClock(Ticker base) {
        this.base = base;
    }

    /** Returns a clock that stands still unless a test moves it. */
    public static ManualClock standing() {
        return new ManualClock(() -> 0);
    }

    /** Returns a clock that runs like the clock of the system and can be moved in addition. */
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

package io.waybill.saga.internal.engine;

import io.waybill.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices that the clock of the database was set back, because less time has passed there than here. This also happens when another
 * server, whose clock is behind, becomes the primary.
 */
final class ClockWatch {
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    /** A smaller step delays a timer by no more than this. Clocks that are slewed stay far below it. */
    private static final Duration TOLERANCE = Duration.ofSeconds(1);

    private final Supplier<Instant> clock;
    private final Ticker ticker;
    private @Nullable Instant last;
    private long lastReadAt;

    ClockWatch(Supplier<Instant> clock, Ticker ticker) {
        this.clock = clock;
        this.ticker = ticker;
    }

    /**
     * Reads the clock about every ten seconds.
     *
     * @return whether it was set back since the last look; true for the first look, because nothing is known about the time before
     */
    synchronized boolean setBack() {
        long before = ticker.nanos();
        Instant previous = last;
        if (previous != null && before - lastReadAt < INTERVAL.toNanos()) {
            return false;
        }
        Instant now = clock.get();
        // The elapsed time is measured from after the last reading to before this one, so it is never too long.
        Duration elapsed = Duration.ofNanos(before - lastReadAt);
        last = now;
        lastReadAt = ticker.nanos();
        return previous == null || now.isBefore(previous.plus(elapsed).minus(TOLERANCE));
    }
}

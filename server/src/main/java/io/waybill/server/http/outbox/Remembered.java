package io.waybill.server.http.outbox;

import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Caches an answer for a while, so that not every request queries the database. */
public final class Remembered<T> implements Supplier<T> {
    private final Supplier<T> ask;
    private final long nanos;
    private @Nullable T answer;
    private long askedAt;

    public Remembered(Duration time, Supplier<T> ask) {
        this.nanos = time.toNanos();
        this.ask = ask;
    }

    @Override
    public synchronized T get() {
        @Nullable T known = answer;
        if (known == null || Ticker.SYSTEM.nanos() - askedAt > nanos) {
            known = ask.get();
            answer = known;
            askedAt = Ticker.SYSTEM.nanos();
        }
        return known;
    }
}

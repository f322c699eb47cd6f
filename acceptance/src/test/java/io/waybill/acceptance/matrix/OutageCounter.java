package io.waybill.acceptance.matrix;

import static org.awaitility.Awaitility.await;

import io.waybill.relay.RelayListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the broker outages that a relay has reported. */
final class OutageCounter implements RelayListener {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final AtomicInteger began = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    @Override
    public void outageBegan(String reason) {
        began.incrementAndGet();
    }

    @Override
    public void outageEnded(Duration duration) {
        ended.incrementAndGet();
    }

    int began() {
        return began.get();
    }

    /** @param before the number of outages before the broker went down */
    void awaitBegin(int before) {
        await("the relay notices that the broker is away").atMost(PATIENCE).until(() -> began.get() > before);
    }

    void awaitEnd() {
        await("the relay notices that the broker is back").atMost(PATIENCE).until(() -> ended.get() >= began.get());
    }
}

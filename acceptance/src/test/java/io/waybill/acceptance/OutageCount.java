package io.waybill.acceptance;

import static org.awaitility.Awaitility.await;

import io.waybill.relay.RelayListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Hears whether a relay knows that its broker is away. */
final class OutageCount implements RelayListener {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

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

    /** @param before how many had begun before the broker went away */
    void awaitBegin(int before) {
        await("the relay notices that the broker is away").atMost(PATIENCE).until(() -> began.get() > before);
    }

    void awaitEnd() {
        await("the relay notices that the broker is back").atMost(PATIENCE).until(() -> ended.get() >= began.get());
    }
}

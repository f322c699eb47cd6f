package io.waybill.relay;

import io.waybill.store.OutboxStore;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Removes published events past their retention, in small chunks with pauses, to keep the load on the database low. */
final class RetentionPruner implements Runnable {
    private static final int CHUNK = 1_000;
    private static final Duration BETWEEN_CHUNKS = Duration.ofMillis(50);
    private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(30);

    private final OutboxStore store;
    private final Ticker ticker;
    private final Duration retention;
    private final Semaphore stop = new Semaphore(0);
    private final OutageLog outages;
    private @Nullable ExecutorService thread;

    RetentionPruner(OutboxStore store, RelaySettings settings) {
        this.store = store;
        this.ticker = settings.ticker();
        this.retention = settings.retention();
        this.outages = new OutageLog("Relay " + settings.name() + " cannot remove old events");
    }

    void start() {
        thread = Threads.start(ticker, "waybill-pruner", this);
    }

    void stop() {
        stop.release();
        if (thread != null) {
            Threads.join(thread, Duration.ofSeconds(5));
        }
    }

    @Override
    public void run() {
        try {
            Duration pause = BETWEEN_CHUNKS;
            while (!ticker.acquire(stop, pause)) {
                pause = BETWEEN_ROUNDS;
                try {
                    if (store.prune(retention, CHUNK) == CHUNK) {
                        pause = BETWEEN_CHUNKS;
                    }
                    outages.clear();
                } catch (RuntimeException e) {
                    outages.raise(e);
                }
            }
        } catch (InterruptedException e) {
            throw Threads.interrupted(e);
        }
    }
}

package io.waybill.bench;

import io.waybill.bench.contest.Sink;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** Records the arrival time of each event and compares it with the time of its commit, both from the monotonic clock. */
final class Arrivals implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final int first;
    private final AtomicLongArray committed;
    private final AtomicLongArray arrived;
    private final CountDownLatch missing;
    private final Sink.Following reader;

    /** @param first the number of the first measured event */
    Arrivals(Sink topic, int first, int events) throws Exception {
        this.first = first;
        committed = new AtomicLongArray(events);
        arrived = new AtomicLongArray(events);
        missing = new CountDownLatch(events);
        reader = topic.follow(this::received);
    }

    private void received(String message) {
        long number = Load.numberIn(message) - first;
        if (number >= 0 && number < arrived.length() && arrived.compareAndSet((int) number, 0, System.nanoTime())) {
            missing.countDown();
        }
    }

    /** @param number the number of the event, relative to the first */
    void committed(int number, long nanos) {
        committed.set(number, nanos);
    }

    /** Waits for the last event. The first tenth of the events is ignored as warm-up. */
    void await(Figures figures) throws InterruptedException {
        if (!missing.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    missing.getCount() + " events did not arrive within " + LIMIT.toSeconds() + " s.");
        }
        int cold = arrived.length() / 10;
        double[] millis = new double[arrived.length() - cold];
        for (int i = 0; i < millis.length; i++) {
            // A consumer may receive an event before its writer receives the answer to its commit.
            millis[i] = Math.max(0, arrived.get(cold + i) - committed.get(cold + i)) / 1e6;
        }
        Arrays.sort(millis);
        figures.put(Figure.P50, millis[millis.length / 2])
                .put(Figure.P95, millis[(int) (millis.length * 0.95)])
                .put(Figure.P99, millis[(int) (millis.length * 0.99)])
                .put(Figure.MOST, millis[millis.length - 1]);
    }

    @Override
    public void close() {
        reader.close();
    }
}

package io.waybill.bench;

import io.waybill.bench.contest.Topic;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** A consumer that notes when each event came, beside the time of its commit; both by the monotonic clock. */
final class Arrivals implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final int first;
    private final AtomicLongArray committed;
    private final AtomicLongArray arrived;
    private final CountDownLatch missing;
    private final Thread reader;
    private volatile boolean stopping;

    /** @param first the number of the first event that counts; what has a lower one came before */
    Arrivals(Topic topic, int first, int events) {
        this.first = first;
        committed = new AtomicLongArray(events);
        arrived = new AtomicLongArray(events);
        missing = new CountDownLatch(events);
        KafkaConsumer<String, String> consumer = topic.consumer();
        consumer.poll(Duration.ofMillis(100)); // it knows the partitions' leaders now
        reader = new Thread(() -> read(consumer), "arrivals");
        reader.start();
    }

    private void read(KafkaConsumer<String, String> consumer) {
        try (consumer) {
            while (!stopping) {
                for (ConsumerRecord<String, String> found : consumer.poll(Duration.ofMillis(100))) {
                    long number = Load.numberIn(found.value()) - first;
                    if (number >= 0
                            && number < arrived.length()
                            && arrived.compareAndSet((int) number, 0, System.nanoTime())) {
                        missing.countDown();
                    }
                }
            }
        }
    }

    /** @param number counted from the first */
    void committed(int number, long nanos) {
        committed.set(number, nanos);
    }

    /** Waits for the last one. The first tenth does not count: that is when everything is cold. */
    void await(Figures figures) throws InterruptedException {
        if (!missing.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    missing.getCount() + " events did not arrive within " + LIMIT.toSeconds() + " s.");
        }
        int cold = arrived.length() / 10;
        double[] millis = new double[arrived.length() - cold];
        for (int i = 0; i < millis.length; i++) {
            // A consumer may have an event before its writer has the answer to its commit.
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
        stopping = true;
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.waybill.kafka;

import io.waybill.internal.DaemonThreads;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;

/**
 * Makes producers send their buffered records without lingering. {@code flush()} blocks until all records are acknowledged, so it runs on
 * a thread of its own. While it waits for a slow partition, records for other partitions are sent after the usual linger time.
 */
final class BackgroundFlush implements Runnable, AutoCloseable {
    private final List<ReplaceableProducer> producers;
    private final Semaphore requests = new Semaphore(0);
    private volatile boolean closed;

    private BackgroundFlush(List<ReplaceableProducer> producers) {
        this.producers = producers;
    }

    static BackgroundFlush of(ReplaceableProducer... producers) {
        BackgroundFlush flush = new BackgroundFlush(List.of(producers));
        DaemonThreads.create("waybill-kafka-flush", flush).start();
        return flush;
    }

    void request() {
        requests.release();
    }

    @Override
    public void run() {
        while (!closed) {
            requests.acquireUninterruptibly();
            requests.drainPermits();
            producers.forEach(BackgroundFlush::flush);
        }
    }

    private static void flush(ReplaceableProducer replaceable) {
        Producer<byte[], byte[]> producer = replaceable.current();
        if (producer != null) {
            try {
                producer.flush();
            } catch (KafkaException | IllegalStateException closed) {
                // The callback of each record reports its result.
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        request();
    }
}

package io.waybill.kafka;

import io.waybill.transport.support.Daemons;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;

/**
 * Makes clients send what they hold, without lingering. To flush blocks until all is acknowledged, so a thread of its own
 * does it: one slow partition then delays nobody, because what comes meanwhile lingers as usual.
 */
final class BackgroundFlush implements Runnable, AutoCloseable {
    private final List<ReplaceableProducer> producers;
    private final Semaphore wanted = new Semaphore(0);
    private volatile boolean closed;

    private BackgroundFlush(List<ReplaceableProducer> producers) {
        this.producers = producers;
    }

    static BackgroundFlush of(ReplaceableProducer... producers) {
        BackgroundFlush hurry = new BackgroundFlush(List.of(producers));
        Daemons.named("waybill-kafka-hurry").newThread(hurry).start();
        return hurry;
    }

    void up() {
        wanted.release();
    }

    @Override
    public void run() {
        while (!closed) {
            wanted.acquireUninterruptibly();
            wanted.drainPermits();
            producers.forEach(BackgroundFlush::flush);
        }
    }

    private static void flush(ReplaceableProducer clients) {
        Producer<byte[], byte[]> producer = clients.current();
        if (producer != null) {
            try {
                producer.flush();
            } catch (KafkaException | IllegalStateException closed) {
                // each message is told by itself
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        up();
    }
}

package io.waybill.bench.contest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.transport.Message;
import java.sql.Connection;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** Runs a bare loop until it is closed. */
final class BareThread extends Thread implements Running, BareStep.Send {
    private static final int IDLE_MILLIS = 5;

    private final Schema schema;
    private final KafkaProducer<byte[], byte[]> producer;
    private final BareStep step;
    private final String topic;
    private final int batch;
    private final AtomicLong published = new AtomicLong();
    private volatile boolean stopping;
    private volatile boolean idle;
    private volatile @Nullable Exception failure;

    BareThread(Schema schema, KafkaProducer<byte[], byte[]> producer, BareStep step, String topic, int batch) {
        super("bare-loop");
        this.schema = schema;
        this.producer = producer;
        this.step = step;
        this.topic = topic;
        this.batch = batch;
    }

    @Override
    public void begin() {
        start();
    }

    @Override
    public void run() {
        try (Connection connection = schema.connect()) {
            connection.setAutoCommit(false);
            while (!stopping) {
                int moved = step.run(connection, batch, this, this::flush);
                connection.commit();
                published.addAndGet(moved);
                idle = moved == 0;
                if (idle) {
                    TimeUnit.MILLISECONDS.sleep(IDLE_MILLIS);
                }
            }
            connection.setAutoCommit(true);
        } catch (Exception e) {
            failure = e;
        }
    }

    @Override
    public void payload(String key, String value) {
        send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value.getBytes(UTF_8)));
    }

    @Override
    public void message(Message message) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, message.key().getBytes(UTF_8), message.value());
        message.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(UTF_8)));
        send(record);
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        Future<RecordMetadata> unused = producer.send(record, (metadata, error) -> {
            if (error != null) {
                failure = error; // flush throws it
            }
        });
    }

    private void flush() throws Exception {
        producer.flush();
        Exception seen = failure;
        if (seen != null) {
            throw seen;
        }
    }

    @Override
    public long published() {
        Exception seen = failure;
        if (seen != null) {
            throw new IllegalStateException("The loop ended: " + seen, seen);
        }
        return published.get();
    }

    @Override
    public boolean settled() {
        return idle;
    }

    @Override
    public void close() {
        stopping = true;
        try {
            join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close();
    }
}

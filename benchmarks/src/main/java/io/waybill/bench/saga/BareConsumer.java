package io.waybill.bench.saga;

import io.waybill.bench.contest.Schema;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/** Handles each record of a topic in a transaction, and commits the offsets of a poll after that. Fails on the first error. */
final class BareConsumer implements AutoCloseable {
    private static final Pattern STEP = Pattern.compile("\"step\":(\\d+)");

    private final KafkaConsumer<String, String> consumer;
    private final Schema schema;
    private final Handler handler;
    private final LongAdder ended;
    private final Thread thread = new Thread(this::run, "bare-consumer");
    private volatile boolean stopping;
    private volatile @Nullable Exception failure;

    /** Handles a record in the transaction of the connection. */
    @FunctionalInterface
    interface Handler {
        /** @return whether the record has ended its saga */
        boolean handle(Connection connection, String saga, int step) throws Exception;
    }

    private BareConsumer(String bootstrap, String topic, Schema schema, Handler handler, LongAdder ended) {
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "group.id",
                        topic,
                        "enable.auto.commit",
                        false,
                        "auto.offset.reset",
                        "earliest",
                        "enable.metrics.push",
                        false),
                new StringDeserializer(),
                new StringDeserializer());
        this.schema = schema;
        this.handler = handler;
        this.ended = ended;
        consumer.subscribe(List.of(topic));
    }

    static BareConsumer start(String bootstrap, String topic, Schema schema, Handler handler, LongAdder ended) {
        BareConsumer consumer = new BareConsumer(bootstrap, topic, schema, handler, ended);
        consumer.thread.start();
        return consumer;
    }

    private void run() {
        try (consumer;
                Connection connection = schema.connect()) {
            connection.setAutoCommit(false);
            while (!stopping) {
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(100));
                for (ConsumerRecord<String, String> record : records) {
                    Matcher step = STEP.matcher(record.value());
                    if (!step.find()) {
                        throw new IllegalStateException("A record names no step: " + record.value());
                    }
                    boolean end = handler.handle(connection, record.key(), Integer.parseInt(step.group(1)));
                    connection.commit();
                    if (end) {
                        ended.increment();
                    }
                }
                if (!records.isEmpty()) {
                    consumer.commitSync();
                }
            }
            connection.setAutoCommit(true);
        } catch (Exception e) {
            failure = e;
            System.err.println("The consumer ended: " + e);
        }
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw new IllegalStateException("The consumer had ended: " + failure, failure);
        }
    }
}

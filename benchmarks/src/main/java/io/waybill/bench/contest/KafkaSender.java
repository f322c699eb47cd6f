package io.waybill.bench.contest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Kafka's producer, with the settings of Waybill's transport. */
final class KafkaSender implements Sender {
    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private volatile @Nullable Exception failure;

    KafkaSender(String bootstrap, String topic) {
        this.topic = topic;
        this.producer = new KafkaProducer<>(settings(bootstrap), new ByteArraySerializer(), new ByteArraySerializer());
        producer.partitionsFor(topic);
    }

    @Override
    public void send(String key, byte[] body, Map<String, String> headers) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, key.getBytes(UTF_8), body);
        headers.forEach((name, value) -> record.headers().add(name, value.getBytes(UTF_8)));
        Future<RecordMetadata> unused = producer.send(record, (metadata, error) -> {
            if (error != null) {
                failure = error; // flush throws it
            }
        });
    }

    @Override
    public void flush() throws Exception {
        producer.flush();
        Exception seen = failure;
        if (seen != null) {
            throw seen;
        }
    }

    @Override
    public void close() {
        producer.close();
    }

    private static Map<String, Object> settings(String bootstrap) {
        return Map.of(
                "bootstrap.servers",
                bootstrap,
                "acks",
                "all",
                "enable.idempotence",
                true,
                "max.in.flight.requests.per.connection",
                5,
                "linger.ms",
                2,
                "batch.size",
                128 * 1024,
                "compression.type",
                "lz4",
                "enable.metrics.push",
                false);
    }
}

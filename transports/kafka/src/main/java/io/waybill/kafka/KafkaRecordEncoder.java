package io.waybill.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.transport.Message;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Encodes a message as a Kafka record. The topic, the key and the headers keep their names; texts are UTF-8. */
final class KafkaRecordEncoder {
    private KafkaRecordEncoder() {}

    static ProducerRecord<byte[], byte[]> encode(Message message) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(message.topic(), message.key().getBytes(UTF_8), message.value());
        message.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(UTF_8)));
        return record;
    }
}

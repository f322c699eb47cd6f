package io.waybill.kafka;

import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.support.InFlight;
import io.waybill.transport.support.PendingMessage;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** A pending message with its Kafka record. */
final class PendingRecord extends PendingMessage {
    private @Nullable ProducerRecord<byte[], byte[]> record;

    PendingRecord(Message message, Delivery delivery, InFlight inFlight) {
        super(message, delivery, inFlight);
    }

    String topic() {
        return message().topic();
    }

    /** Returns the record, created at the first call by the sending thread. */
    ProducerRecord<byte[], byte[]> record() {
        if (record == null) {
            record = KafkaRecordEncoder.encode(message());
        }
        return record;
    }
}

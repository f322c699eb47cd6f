package io.waybill.kafka;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Utils;

/**
 * How many bytes a record takes when it travels alone, by the rules of Kafka's record format 2. Counted here because the
 * client's own code for it is internal and changes its package between versions.
 */
final class RecordSize {
    private static final int BATCH_OVERHEAD = 61;
    /** The client assumes the longest encoding of length, timestamp and offset. */
    private static final int LONGEST_RECORD_OVERHEAD = 21;
    /** Attributes, and a timestamp and an offset that equal the batch's. */
    private static final int SHORTEST_RECORD_OVERHEAD = 3;

    private final int content;

    private RecordSize(int content) {
        this.content = content;
    }

    static RecordSize of(ProducerRecord<byte[], byte[]> record) {
        int bytes = prefixed(record.key().length) + prefixed(record.value().length);
        int headers = 0;
        for (Header header : record.headers()) {
            bytes += prefixed(Utils.utf8Length(header.key())) + prefixed(header.value().length);
            headers++;
        }
        return new RecordSize(bytes + varint(headers));
    }

    /** What the client compares with {@code max.request.size}. */
    int forClient() {
        return BATCH_OVERHEAD + LONGEST_RECORD_OVERHEAD + content;
    }

    /** What the broker compares with {@code max.message.bytes} when nothing is compressed. */
    int forBroker() {
        int body = SHORTEST_RECORD_OVERHEAD + content;
        return BATCH_OVERHEAD + varint(body) + body;
    }

    private static int prefixed(int length) {
        return varint(length) + length;
    }

    /** Seven bits a byte, after zigzag has spent one on the sign. */
    private static int varint(int value) {
        int bits = 32 - Integer.numberOfLeadingZeros(value << 1);
        return Math.max(1, (bits + 6) / 7);
    }
}

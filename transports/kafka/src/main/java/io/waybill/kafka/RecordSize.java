package io.waybill.kafka;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Utils;

/**
 * The size of a record in a batch of its own, by the rules of Kafka's record format 2. It is computed here because the
 * corresponding code of Kafka's client is internal, and its package changes between versions.
 */
final class RecordSize {
    private static final int BATCH_OVERHEAD = 61;
    /** The client assumes the longest encoding of length, timestamp and offset. */
    private static final int LONGEST_RECORD_OVERHEAD = 21;
    /** Attributes, and a timestamp and an offset that equal the batch's. */
    private static final int SHORTEST_RECORD_OVERHEAD = 3;

    private static final int LONGEST_VARINT = 5;
    /** Maximum number of UTF-8 bytes of one Java char. */
    private static final int LONGEST_CHAR = 3;

    private final ProducerRecord<byte[], byte[]> record;

    private RecordSize(ProducerRecord<byte[], byte[]> record) {
        this.record = record;
    }

    static RecordSize of(ProducerRecord<byte[], byte[]> record) {
        return new RecordSize(record);
    }

    /** Returns true if an upper bound of the size is below the limit. A cheap check that spares most records the exact computation. */
    boolean isFarBelow(int limit) {
        int most = BATCH_OVERHEAD + LONGEST_RECORD_OVERHEAD + 3 * LONGEST_VARINT;
        most += record.key().length + record.value().length;
        for (Header header : record.headers()) {
            most += LONGEST_CHAR * header.key().length() + header.value().length + 2 * LONGEST_VARINT;
        }
        return most < limit;
    }

    /** Returns the size that the client compares with {@code max.request.size}. */
    int forClient() {
        return BATCH_OVERHEAD + LONGEST_RECORD_OVERHEAD + content();
    }

    /** Returns the size that the broker compares with {@code max.message.bytes}, without compression. */
    int forBroker() {
        int body = SHORTEST_RECORD_OVERHEAD + content();
        return BATCH_OVERHEAD + varint(body) + body;
    }

    private int content() {
        int bytes = prefixed(record.key().length) + prefixed(record.value().length);
        int headers = 0;
        for (Header header : record.headers()) {
            bytes += prefixed(Utils.utf8Length(header.key())) + prefixed(header.value().length);
            headers++;
        }
        return bytes + varint(headers);
    }

    private static int prefixed(int length) {
        return varint(length) + length;
    }

    /** A varint has seven bits per byte; zigzag encoding uses one bit for the sign. */
    private static int varint(int value) {
        int bits = 32 - Integer.numberOfLeadingZeros(value << 1);
        return Math.max(1, (bits + 6) / 7);
    }
}

package io.waybill.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.AbstractRecords;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares with the internal code of Kafka's client, which main code must not use. */
class RecordSizeTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "63, 2", "64, 70", "8191, 0", "8192, 3", "1048576, 1", "5000000, 100"})
    void theSizeEqualsThatOfKafkasClient(int length, int headers) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>("topic", "Schlüssel".getBytes(UTF_8), new byte[length]);
        for (int i = 0; i < headers; i++) {
            record.headers().add("näme-" + i, "wért 🚚".getBytes(UTF_8));
        }

        RecordSize size = RecordSize.of(record);

        assertThat(size.forClient())
                .isEqualTo(AbstractRecords.estimateSizeInBytesUpperBound(
                        (byte) 2,
                        CompressionType.NONE,
                        record.key(),
                        record.value(),
                        record.headers().toArray()));
        assertThat(size.forBroker())
                .isEqualTo(MemoryRecords.withRecords(
                                Compression.NONE,
                                new SimpleRecord(
                                        1L,
                                        record.key(),
                                        record.value(),
                                        record.headers().toArray()))
                        .sizeInBytes());
    }
}

package io.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.envelope.Envelope;
import io.waybill.transport.Message;
import org.junit.jupiter.api.Test;

/** The parts of an event that are meant for the relay: the key of the message, and the limit of attempts. */
class PartitionKeyTest {
    private final Envelope envelope = Envelope.standard("test");

    @Test
    void withoutAPartitionKeyTheMessageHasTheKeyOfTheEvent() {
        Event event = Event.of("payment.succeeded", "Payment", "p-1", "{}");
        Message message = envelope.seal(event);
        assertThat(event.partitionKey()).isEqualTo("p-1");
        assertThat(message.key()).isEqualTo("p-1");
        assertThat(message.headers()).doesNotContainKey(Headers.ENTITY_ID);
        assertThat(event.maxAttempts()).isEmpty();
    }

    @Test
    void theMessageHasThePartitionKeyAndNamesTheEntity() {
        Event event = Event.builder("payment.succeeded", "Payment", "p-1")
                .partitionKey("order-7")
                .maxAttempts(3)
                .build();
        Message message = envelope.seal(event);
        assertThat(event.key()).isEqualTo("p-1");
        assertThat(event.maxAttempts()).hasValue(3);
        assertThat(message.key()).isEqualTo("order-7");
        assertThat(message.headers())
                .containsEntry(Headers.ENTITY_ID, "p-1")
                .doesNotContainKeys(Headers.PARTITION_KEY, Headers.MAX_ATTEMPTS);
    }

    @Test
    void invalidValuesAreRefusedByTheWriterAndIgnoredByTheRelay() {
        Event.Builder event = Event.builder("t", "A", "1");
        assertThatThrownBy(() -> event.maxAttempts(0).build()).hasMessageContaining("from 1 to 99999, not 0");
        Event restored = event.header(Headers.MAX_ATTEMPTS, "many")
                .header(Headers.PARTITION_KEY, " ")
                .restore();
        assertThat(restored.maxAttempts()).isEmpty();
        assertThat(restored.partitionKey()).isEqualTo("1");
        assertThatThrownBy(event.maxAttempts(5).partitionKey("x".repeat(256))::build)
                .hasMessageContaining("partition key");
    }
}

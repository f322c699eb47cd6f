package io.waybill.inbox.internal.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.PoisonException;
import io.waybill.inbox.ReceivedMessage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeReaderTest {
    private static final UUID ID = UUID.fromString("0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11");

    private static Event read(String body) {
        return read(body, Map.of());
    }

    private static Event read(String body, Map<String, String> headers) {
        return EnvelopeReader.read(
                new ReceivedMessage("orders", 1, 2, "42", body.getBytes(StandardCharsets.UTF_8), headers));
    }

    @Test
    void anEnvelopeInSnakeCaseIsRead() {
        Event written = Event.builder("user.profile_updated", "user", "65a1b2c3")
                .id(ID)
                .aggregateVersion(5)
                .version(2)
                .topic("orders")
                .payload("{\"display_name\": \"Ada \\u00fc\"}")
                .header(Headers.CORRELATION_ID, "signup-7")
                .occurredAt(Instant.parse("2026-02-05T10:30:00Z"))
                .build();
        String body = new String(Envelope.snakeCase("api").seal(written).value(), StandardCharsets.UTF_8);

        Event read = read(body);

        assertThat(read).usingRecursiveComparison().ignoringFields("headers").isEqualTo(written);
        assertThat(read.headers())
                .containsEntry(Headers.CORRELATION_ID, "signup-7")
                .containsEntry(Headers.SOURCE, "api");
    }

    /** Several entities may share a partition key, and each has its own versions. */
    @Test
    void theKeyIsTheEntityAndNotThePartitionKey() {
        String body = "{\"event_id\":\"" + ID + "\",\"event_type\":\"user.created\",\"entity_id\":\"65a1b2c3\","
                + "\"entity_version\":1,\"data\":{}}";
        assertThat(read(body).key()).isEqualTo("65a1b2c3");
        assertThat(read("{\"event_id\":\"" + ID + "\",\"event_type\":\"user.created\"}")
                        .key())
                .as("without an entity id")
                .isEqualTo("42");
    }

    private static UUID idOf(String topic, String body) {
        return EnvelopeReader.read(
                        new ReceivedMessage(topic, 1, 2, "42", body.getBytes(StandardCharsets.UTF_8), Map.of()))
                .id();
    }

    @Test
    void anIdThatIsNotAUuidIsUniqueWithinTopicAndSource() {
        String body = "{\"id\":\"42\",\"type\":\"placed\"}";
        assertThat(idOf("orders", body))
                .isEqualTo(idOf("orders", body))
                .as("through the dead-letter topic")
                .isEqualTo(idOf("orders.dlt", body))
                .isNotEqualTo(idOf("payments", body))
                .isNotEqualTo(idOf("orders", "{\"id\":\"42\",\"type\":\"placed\",\"source\":\"shop\"}"));
        String uuid = "{\"id\":\"" + ID + "\",\"type\":\"placed\"}";
        assertThat(idOf("orders", uuid)).isEqualTo(ID).isEqualTo(idOf("payments", uuid));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"eventId\":\"x\",\"eventType\":\"t\",\"data\":@}", "{\"other\":@}", "@"})
    void aDeeplyNestedMessageIsRejected(String body) {
        String deep = "[".repeat(400_000) + "]".repeat(400_000);
        assertThatThrownBy(() -> read(body.replace("@", deep))).isInstanceOf(PoisonException.class);
        String objects = "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_000);
        assertThatThrownBy(() -> read(body.replace("@", objects))).isInstanceOf(PoisonException.class);
        String digits = "1".repeat(100_000);
        assertThatThrownBy(() -> read(body.replace("@", digits))).isInstanceOf(PoisonException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"total\": 1.50, \"a\":[1, {}] }",
                "[ 1,2 ]",
                "\"te\\\"xt\\u00e9 é😀\"",
                "\"\"",
                "1.50",
                "1e2",
                "true",
                "null"
            })
    void aStandardEnvelopeIsReadUnchanged(String payload) {
        Event event = Event.builder("order.placed", "Order", "42")
                .id(ID)
                .version(3)
                .aggregateVersion(7)
                .payload(payload)
                .occurredAt(Instant.parse("2026-11-15T10:00:00.123456Z"))
                .header(Headers.CORRELATION_ID, "c-1")
                .header(Headers.USER_ID, "u-1")
                .header("tenant", "t1")
                .build();
        Event read =
                EnvelopeReader.read(ReceivedMessage.of(Envelope.standard("shop").seal(event)));
        assertThat(read.id()).isEqualTo(ID);
        assertThat(read.type()).isEqualTo("order.placed");
        assertThat(read.version()).isEqualTo(3);
        assertThat(read.aggregateType()).isEqualTo("Order");
        assertThat(read.aggregateVersion()).hasValue(7);
        assertThat(read.key()).isEqualTo("42");
        assertThat(read.payload()).isEqualTo(payload);
        assertThat(read.occurredAt()).isEqualTo(event.occurredAt());
        assertThat(read.headers())
                .containsEntry(Headers.CORRELATION_ID, "c-1")
                .containsEntry(Headers.USER_ID, "u-1")
                .containsEntry(Headers.SOURCE, "shop")
                .containsEntry("tenant", "t1");
    }

    @Test
    void longNumbersAndModerateNestingAreAccepted() {
        for (String payload : List.of("1".repeat(5_000), "[".repeat(400) + "]".repeat(400))) {
            assertThat(read("{\"eventId\":\"x\",\"eventType\":\"a\",\"data\":" + payload + "}")
                            .payload())
                    .isEqualTo(payload);
        }
    }

    @Test
    void envelopesWithOtherFieldNamesAreRead() {
        Event java = read(
                "{\"eventId\":\"" + ID + "\",\"eventType\":\"a\",\"aggregateType\":\"Order\",\"aggregateId\":\"9\","
                        + "\"correlationId\":\"c\",\"causationId\":\"k\",\"occurredAt\":\"2026-01-01T00:00:00+01:00\",\"payload\":{}}");
        assertThat(java.aggregateType()).isEqualTo("Order");
        assertThat(java.occurredAt()).isEqualTo("2025-12-31T23:00:00Z");
        assertThat(java.headers()).containsEntry(Headers.CAUSATION_ID, "k");
        Event typescript =
                read("{\"id\":\"" + ID + "\",\"type\":\"b\",\"source\":\"s\",\"payload\":[1],\"version\":2}");
        assertThat(typescript.type()).isEqualTo("b");
        assertThat(typescript.payload()).isEqualTo("[1]");
        assertThat(typescript.version()).isEqualTo(2);
    }

    @Test
    void missingFieldsAreReadFromTheHeaders() {
        Event event = read("{}", Map.of(Headers.EVENT_ID, ID.toString(), Headers.EVENT_TYPE, "a"));
        assertThat(event.id()).isEqualTo(ID);
        assertThat(event.payload()).isEqualTo("null");
    }

    @Test
    void anIdThatIsNotAUuidAlwaysGivesTheSameUuid() {
        UUID id = read("{\"eventId\":\"evt_1\",\"eventType\":\"a\"}").id();
        assertThat(read("{\"eventId\":\"evt_1\",\"eventType\":\"a\"}").id()).isEqualTo(id);
        assertThat(read("{\"eventId\":\"evt_2\",\"eventType\":\"a\"}").id()).isNotEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no json",
                "[]",
                "\"text\"",
                "{\"eventId\":\"x\",\"eventType\":\"a\"} {}",
                "{\"eventId\":\"x\"",
                "{\"eventId\":\"x\"}",
                "{\"eventType\":\"a\"}",
                "{\"eventId\":\"x\",\"eventType\":\"a\\u0000\"}"
            })
    void aMessageThatIsNotAnEventIsRejected(String body) {
        assertThatThrownBy(() -> read(body)).isInstanceOf(PoisonException.class);
    }

    @Test
    void theQualifiedKeyOfAnEventWithoutAggregateTypeIsItsKey() {
        assertThat(InboxStore.qualifiedKey(read("{\"eventId\":\"x\",\"eventType\":\"a\"}")))
                .isEqualTo("42");
        assertThat(InboxStore.qualifiedKey(read("{\"eventId\":\"x\",\"eventType\":\"a\",\"aggregateType\":\"Order\"}")))
                .isEqualTo("Order/42");
    }

    @Test
    void theEntityIsReadFromAMessageWithAnotherKey() {
        Event event = Event.builder("payment.succeeded", "Payment", "p-1")
                .partitionKey("order-7")
                .build();
        ReceivedMessage message = ReceivedMessage.of(Envelope.standard("shop").seal(event));

        assertThat(message.key()).isEqualTo("order-7");
        assertThat(InboxStore.qualifiedKey(EnvelopeReader.read(message))).isEqualTo("Payment/p-1");
    }

    @Test
    void theLowestAggregateVersionIsRead() {
        Event event = Event.builder("order.placed", "Order", "42")
                .aggregateVersion(Long.MIN_VALUE)
                .build();

        Event read =
                EnvelopeReader.read(ReceivedMessage.of(Envelope.standard("shop").seal(event)));

        assertThat(read.aggregateVersion()).hasValue(Long.MIN_VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483648", "4294967298", "99999999999999999999", "1.5", "\"x\""})
    void anInvalidSchemaVersionIsReadAsOne(String version) {
        Event read = read("{\"eventId\":\"" + ID + "\",\"eventType\":\"t\",\"version\":" + version + "}");

        assertThat(read.version()).isEqualTo(1);
    }
}

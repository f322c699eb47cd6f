package io.waybill.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StandardEnvelopeTest {
    private static final UUID ID = UUID.fromString("0192f0c1-2345-7abc-8def-0123456789ab");
    private final Envelope envelope = Envelope.standard("orders");

    private static Event.Builder event() {
        return Event.builder("order.order.placed.v1", "Order", "42")
                .id(ID)
                .occurredAt(Instant.parse("2026-11-15T10:00:00.5Z"))
                .payload("{\"total\": 1.50}");
    }

    private static String body(Message message) {
        return new String(message.value(), StandardCharsets.UTF_8);
    }

    @Test
    void aPlainEventStartsItsOwnTraceAndCorrelation() {
        Message message = envelope.seal(event().build());

        assertThat(body(message))
                .isEqualTo("{\"eventId\":\"" + ID + "\",\"timestamp\":\"2026-11-15T10:00:00.500Z\","
                        + "\"eventType\":\"order.order.placed.v1\",\"version\":1,\"source\":\"orders\","
                        + "\"data\":{\"total\": 1.50},"
                        + "\"metadata\":{\"traceId\":\"" + ID + "\",\"correlationId\":\"" + ID + "\"}}");
        assertThat(message.topic()).isEqualTo("order.order.placed.v1");
        assertThat(message.key()).isEqualTo("42");
        assertThat(message.headers())
                .containsEntry(Headers.EVENT_ID, ID.toString())
                .containsEntry(Headers.EVENT_TYPE, "order.order.placed.v1")
                .containsEntry(Headers.CORRELATION_ID, ID.toString());
    }

    @Test
    void headersAreSentAndCopiedToTheMetadata() {
        Message message = envelope.seal(
                event().header(Headers.TRACEPARENT, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                        .header(Headers.CORRELATION_ID, "c-1")
                        .header(Headers.CAUSATION_ID, "e-0")
                        .header(Headers.IDEMPOTENCY_KEY, "order-42")
                        .header(Headers.USER_ID, "u\"7\n")
                        .header(Headers.SOURCE, "payments")
                        .header("tenant", "t1")
                        .build());

        assertThat(body(message))
                .contains("\"source\":\"payments\"")
                .endsWith("\"metadata\":{\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"correlationId\":\"c-1\","
                        + "\"causationId\":\"e-0\",\"idempotencyKey\":\"order-42\",\"userId\":\"u\\\"7\\u000a\"}}");
        assertThat(message.headers()).containsEntry("tenant", "t1").containsKey(Headers.TRACEPARENT);
    }

    @Test
    void aggregateTypeAndVersionAreInTheHeaders() {
        assertThat(envelope.seal(event().aggregateVersion(7).build()).headers())
                .containsEntry(Headers.AGGREGATE_TYPE, "Order")
                .containsEntry(Headers.AGGREGATE_VERSION, "7");
        assertThat(envelope.seal(event().build()).headers()).doesNotContainKey(Headers.AGGREGATE_VERSION);
    }

    @Test
    void anEventWithoutEnvelopeIsSentAsItsPayload() {
        Message message = envelope.seal(event().header(Headers.ENVELOPE, "none").build());
        assertThat(body(message)).isEqualTo("{\"total\": 1.50}");
        assertThat(message.headers())
                .doesNotContainKey(Headers.ENVELOPE)
                .containsEntry(Headers.EVENT_ID, ID.toString());
    }

    @Test
    void aMalformedTraceparentIsIgnored() {
        Message message = envelope.seal(event().header(Headers.TRACEPARENT, "x").build());
        assertThat(body(message)).contains("\"traceId\":\"" + ID + "\"");
    }

    @Test
    void aRedeliveryHasTheSameBytes() {
        Event event = event().header("a", "b").build();
        assertThat(envelope.seal(event).value()).isEqualTo(envelope.seal(event).value());
    }

    /** Consumers use the header to detect stale events, so only the version of the event itself may be sent. */
    @Test
    void aHeaderOfTheWriterDoesNotReplaceTheAggregateVersion() {
        Event without = Event.builder("t", "A", "k")
                .header(Headers.AGGREGATE_VERSION, "99")
                .build();
        Event with = Event.builder("t", "A", "k")
                .header(Headers.AGGREGATE_VERSION, "99")
                .aggregateVersion(7)
                .build();

        assertThat(Envelope.standard("test").seal(without).headers()).doesNotContainKey(Headers.AGGREGATE_VERSION);
        assertThat(Envelope.standard("test").seal(with).headers()).containsEntry(Headers.AGGREGATE_VERSION, "7");
    }
}

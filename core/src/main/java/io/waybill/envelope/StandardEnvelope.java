package io.waybill.envelope;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.WaybillException;
import io.waybill.internal.EventTrace;
import io.waybill.internal.StorableText;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON envelope. The payload is copied into {@code data} character by character, so that numbers and the order of fields are
 * preserved. {@code traceId} and {@code correlationId} are always present: an event without a trace or a correlation uses its own id,
 * so that a redelivery repeats the same values. An event with the header {@code envelope: none} (a dead letter of an inbox) is sent
 * as its payload alone.
 */
class StandardEnvelope implements Envelope {
    final String source;

    StandardEnvelope(String source) {
        this.source = requireNonNull(source, "source");
    }

    @Override
    public final Message seal(Event event) {
        Map<String, String> headers = event.headers();
        headers.forEach(StandardEnvelope::requireUnicode);
        String id = event.id().toString();
        String correlationId = headers.getOrDefault(Headers.CORRELATION_ID, id);
        Map<String, String> wire = new LinkedHashMap<>(headers);
        wire.put(Headers.EVENT_ID, id);
        wire.put(Headers.EVENT_TYPE, event.type());
        wire.put(Headers.AGGREGATE_TYPE, event.aggregateType());
        boolean bare = "none".equals(wire.remove(Headers.ENVELOPE));
        if (!bare) {
            // The writer may have set a header of this name. Its value is not the aggregate version, but consumers
            // would read it as the aggregate version.
            wire.remove(Headers.AGGREGATE_VERSION);
            wire.remove(Headers.ENTITY_ID);
        }
        String key = event.partitionKey();
        if (!key.equals(event.key())) {
            wire.put(Headers.ENTITY_ID, event.key());
        }
        wire.remove(Headers.PARTITION_KEY);
        wire.remove(Headers.MAX_ATTEMPTS);
        event.aggregateVersion().ifPresent(version -> wire.put(Headers.AGGREGATE_VERSION, Long.toString(version)));
        wire.put(Headers.CORRELATION_ID, correlationId);
        String value = bare ? event.payload() : wrap(event, id, correlationId);
        return new Message(event.id(), event.destination(), key, value.getBytes(StandardCharsets.UTF_8), wire);
    }

    /** Builds the text in a single expression, which the compiler turns into one allocation without intermediate copies. */
    String wrap(Event event, String id, String correlationId) {
        Map<String, String> headers = event.headers();
        return "{\"eventId\":\"" + id
                + "\",\"timestamp\":\"" + Timestamp.text(event.occurredAt())
                + "\",\"eventType\":\"" + JsonText.escaped(event.type())
                + "\",\"version\":" + event.version()
                + ",\"source\":\"" + JsonText.escaped(headers.getOrDefault(Headers.SOURCE, source))
                + "\",\"data\":" + event.payload()
                + ",\"metadata\":{\"traceId\":\"" + EventTrace.id(headers.get(Headers.TRACEPARENT), id)
                + "\",\"correlationId\":\"" + (id.equals(correlationId) ? id : JsonText.escaped(correlationId))
                + "\"" + optional("causationId", headers.get(Headers.CAUSATION_ID))
                + optional("idempotencyKey", headers.get(Headers.IDEMPOTENCY_KEY))
                + optional("userId", headers.get(Headers.USER_ID)) + "}}";
    }

    /** A JSON escape written with SQL can contain an unpaired surrogate, which UTF-8 would turn into a question mark. */
    static void requireUnicode(String name, String value) {
        if (StorableText.unpairedSurrogate(name) >= 0 || StorableText.unpairedSurrogate(value) >= 0) {
            throw new WaybillException(
                    "its header " + name + " contains an unpaired surrogate, which no broker can carry."
                            + " Check how the writer encoded the text.");
        }
    }

    static String optional(String name, @Nullable String value) {
        return value == null ? "" : ",\"" + name + "\":\"" + JsonText.escaped(value) + "\"";
    }
}

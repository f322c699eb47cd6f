package io.waybill.inbox.internal.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.PoisonException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.internal.StorableText;
import io.waybill.random.Draw;
import io.waybill.random.RandomCases;
import io.waybill.transport.Message;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What one side seals the other reads as it was, whatever it holds; whatever else arrives is read or refused. */
class EnvelopePropertyTest {
    private static final Set<String> WRITTEN_BY_THE_ENVELOPE = Set.of(
            Headers.EVENT_ID, Headers.EVENT_TYPE, Headers.AGGREGATE_TYPE, Headers.AGGREGATE_VERSION, Headers.ENVELOPE);

    private static String texts(Draw draw, int longest) {
        return draw.suchThat(
                StorableText::isStorable,
                () -> draw.from(
                        () -> draw.text(longest), () -> draw.textOf("\"\\/{}[]:,\u2028\ufeff\n\t\u007f é🚚", longest)));
    }

    private static String names(Draw draw) {
        return draw.suchThat(text -> !text.isBlank(), () -> texts(draw, 30));
    }

    private static String headerNames(Draw draw) {
        return draw.from(
                () -> names(draw),
                () -> draw.of(
                        Headers.TRACEPARENT,
                        Headers.CORRELATION_ID,
                        Headers.CAUSATION_ID,
                        Headers.USER_ID,
                        Headers.SOURCE,
                        Headers.IDEMPOTENCY_KEY,
                        Headers.EVENT_ID,
                        Headers.EVENT_TYPE,
                        Headers.AGGREGATE_TYPE,
                        Headers.AGGREGATE_VERSION,
                        Headers.ENVELOPE));
    }

    private static String json(Draw draw, int depth) {
        if (depth == 0) {
            return leaf(draw);
        }
        String gap = draw.of("", " ", "\n\t");
        return draw.from(
                () -> leaf(draw),
                () -> draw.list(3, () -> json(draw, depth - 1)).stream()
                        .collect(Collectors.joining(gap + "," + gap, "[" + gap, gap + "]")),
                () -> "{" + quote(texts(draw, 12)) + gap + ":" + json(draw, depth - 1) + "," + gap
                        + quote(texts(draw, 12)) + ":" + gap + json(draw, depth - 1) + "}");
    }

    private static String leaf(Draw draw) {
        return draw.from(
                () -> quote(texts(draw, 12)),
                () -> draw.of("null", "true", "false", "0", "-0", "1.50", "1E+400", "\"\\u0000\\ud83d\"", "\"\""),
                () -> integers(draw).toString(),
                () -> new BigDecimal(integers(draw), draw.integer(-20, 20)).toPlainString());
    }

    private static BigInteger integers(Draw draw) {
        return new BigInteger(draw.suchThat(bytes -> bytes.length > 0, () -> draw.bytes(20)));
    }

    private static String quote(String text) {
        return "\""
                + text.chars()
                        .mapToObj(c -> c == '"' || c == '\\'
                                ? "\\" + (char) c
                                : c < 0x20 ? String.format("\\u%04x", c) : Character.toString((char) c))
                        .collect(Collectors.joining())
                + "\"";
    }

    private static Event events(Draw draw) {
        Instant time = Instant.ofEpochMilli(draw.number(-62_135_596_800_000L, 4_102_444_800_000L));
        int version = draw.integer(1, Integer.MAX_VALUE);
        Event.Builder event = Event.builder(names(draw), names(draw), names(draw))
                .id(new UUID(time.toEpochMilli(), version))
                .payload(json(draw, 2))
                .headers(draw.map(5, () -> headerNames(draw), () -> texts(draw, 40)))
                .version(version)
                .occurredAt(time);
        if (draw.flag()) {
            event.aggregateVersion(draw.number(Long.MIN_VALUE, Long.MAX_VALUE));
        }
        return event.build();
    }

    @Test
    void whatIsSealedIsReadAsItWas() {
        RandomCases.check(800, draw -> {
            Event event = events(draw);
            Message message = Envelope.standard("shop").seal(event);
            if ("none".equals(event.headers().get(Headers.ENVELOPE))) {
                assertThat(message.value()).asString().isEqualTo(event.payload());
                return;
            }

            Event read = EnvelopeReader.read(ReceivedMessage.of(message));

            assertThat(read.id()).isEqualTo(event.id());
            assertThat(read.type()).isEqualTo(event.type());
            assertThat(read.version()).isEqualTo(event.version());
            assertThat(read.aggregateType()).isEqualTo(event.aggregateType());
            assertThat(read.key()).isEqualTo(event.key());
            assertThat(read.payload()).isEqualTo(event.payload());
            assertThat(read.occurredAt()).isEqualTo(event.occurredAt());
            assertThat(read.destination()).isEqualTo(event.destination());
            event.headers().forEach((name, value) -> {
                if (!WRITTEN_BY_THE_ENVELOPE.contains(name)) {
                    assertThat(read.headers()).containsEntry(name, value);
                }
            });
            if (event.aggregateVersion().isPresent()) {
                assertThat(read.aggregateVersion()).isEqualTo(event.aggregateVersion());
            } else if (!event.headers().containsKey(Headers.AGGREGATE_VERSION)) {
                assertThat(read.aggregateVersion()).isEmpty();
            }
            assertThat(Envelope.standard("shop").seal(event))
                    .usingRecursiveComparison()
                    .isEqualTo(message);
        });
    }

    /** A damaged message is an event or a poison message. It never makes the consumer fail. */
    @Test
    void whatIsDamagedIsReadOrRefused() {
        RandomCases.check(800, draw -> {
            readOrRefuse(
                    draw.damaged(Envelope.standard("shop").seal(events(draw)).value()));
        });
    }

    @Test
    void anyBytesAreReadOrRefused() {
        RandomCases.check(500, draw -> {
            byte[] body = draw.bytes(255);
            readOrRefuse(body);
        });
    }

    @Test
    void anyJsonIsReadOrRefused() {
        RandomCases.check(500, draw -> {
            String body = jsonTexts(draw);
            readOrRefuse(body.getBytes(StandardCharsets.UTF_8));
        });
    }

    private static String jsonTexts(Draw draw) {
        Map<String, String> fields = draw.map(
                10,
                () -> draw.of(
                        "eventId",
                        "id",
                        "eventType",
                        "type",
                        "version",
                        "timestamp",
                        "data",
                        "payload",
                        "metadata",
                        "source"),
                () -> json(draw, 2));
        return fields.entrySet().stream()
                .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static void readOrRefuse(byte[] body) {
        try {
            Event event = EnvelopeReader.read(new ReceivedMessage("t", 0, 0, "k", body, Map.of()));
            assertThat(StorableText.isStorable(event.type() + event.aggregateType() + event.key()))
                    .isTrue();
        } catch (PoisonException refused) {
            assertThat(refused).hasMessageMatching("(?s)The .*\\.");
        }
    }
}

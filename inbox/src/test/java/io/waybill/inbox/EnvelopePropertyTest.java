package io.waybill.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.envelope.Envelope;
import io.waybill.internal.StorableText;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** What one side seals the other reads as it was, whatever it holds; whatever else arrives is read or refused. */
class EnvelopePropertyTest {
    private static final Set<String> WRITTEN_BY_THE_ENVELOPE = Set.of(
            Headers.EVENT_ID, Headers.EVENT_TYPE, Headers.AGGREGATE_TYPE, Headers.AGGREGATE_VERSION, Headers.ENVELOPE);

    private static Arbitrary<String> texts(int longest) {
        return Arbitraries.oneOf(
                        Arbitraries.strings().all().ofMaxLength(longest),
                        Arbitraries.strings()
                                .withChars("\"\\/{}[]:,\u2028\ufeff\n\t\u007f é🚚")
                                .ofMaxLength(longest))
                .filter(StorableText::isStorable);
    }

    private static Arbitrary<String> names() {
        return texts(30).filter(text -> !text.isBlank());
    }

    private static Arbitrary<String> headerNames() {
        return Arbitraries.oneOf(
                names(),
                Arbitraries.of(
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

    private static Arbitrary<String> json(int depth) {
        Arbitrary<String> quoted = texts(12).map(EnvelopePropertyTest::quote);
        Arbitrary<String> leaf = Arbitraries.oneOf(
                quoted,
                Arbitraries.of("null", "true", "false", "0", "-0", "1.50", "1E+400", "\"\\u0000\\ud83d\"", "\"\""),
                Arbitraries.bigIntegers().map(Object::toString),
                Arbitraries.bigDecimals().map(number -> number.toPlainString()));
        if (depth == 0) {
            return leaf;
        }
        Arbitrary<String> inner = json(depth - 1);
        Arbitrary<String> space = Arbitraries.of("", " ", "\n\t");
        return Arbitraries.oneOf(
                leaf,
                Combinators.combine(inner.list().ofMaxSize(3), space)
                        .as((list, gap) -> "[" + gap + String.join(gap + "," + gap, list) + gap + "]"),
                Combinators.combine(quoted, inner, quoted, inner, space)
                        .as((a, x, b, y, gap) -> "{" + a + gap + ":" + x + "," + gap + b + ":" + gap + y + "}"));
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

    @Provide
    static Arbitrary<Event> events() {
        Arbitrary<Instant> times = Arbitraries.longs()
                .between(-62_135_596_800_000L, 4_102_444_800_000L)
                .map(Instant::ofEpochMilli);
        Arbitrary<Map<String, String>> headers =
                Arbitraries.maps(headerNames(), texts(40)).ofMaxSize(5);
        return Combinators.combine(
                        names(),
                        names(),
                        names(),
                        json(2),
                        headers,
                        Arbitraries.integers().between(1, Integer.MAX_VALUE),
                        Arbitraries.longs().injectNull(0.5),
                        times)
                .as((type, aggregate, key, payload, extra, version, aggregateVersion, time) -> {
                    Event.Builder event = Event.builder(type, aggregate, key)
                            .id(new UUID(time.toEpochMilli(), version))
                            .payload(payload)
                            .headers(extra)
                            .version(version)
                            .occurredAt(time);
                    if (aggregateVersion != null) {
                        event.aggregateVersion(aggregateVersion);
                    }
                    return event.build();
                });
    }

    @Property(tries = 800, shrinking = ShrinkingMode.BOUNDED)
    void aSealedEventIsReadUnchanged(@ForAll("events") Event event) {
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
    }

    /** Bytes cut off, doubled or changed: an event or a poison message, and nothing that a consumer would die of. */
    @Property(tries = 800, shrinking = ShrinkingMode.BOUNDED)
    void aDamagedMessageIsReadOrRejected(
            @ForAll("events") Event event, @ForAll int place, @ForAll byte value, @ForAll boolean cut) {
        Message message = Envelope.standard("shop").seal(event);
        byte[] body = message.value().clone();
        int at = Math.floorMod(place, body.length);
        body[at] = value;
        readOrReject(cut ? Arrays.copyOf(body, at) : body);
    }

    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    void anyBytesAreReadOrRejected(@ForAll byte[] body) {
        readOrReject(body);
    }

    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    void anyJsonIsReadOrRejected(@ForAll("jsonTexts") String body) {
        readOrReject(body.getBytes(StandardCharsets.UTF_8));
    }

    @Provide
    static Arbitrary<String> jsonTexts() {
        Arbitrary<String> fields = Arbitraries.of(
                "eventId", "id", "eventType", "type", "version", "timestamp", "data", "payload", "metadata", "source");
        return Arbitraries.maps(fields, json(2))
                .ofMaxSize(10)
                .map(map -> map.entrySet().stream()
                        .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
                        .collect(Collectors.joining(",", "{", "}")));
    }

    private static void readOrReject(byte[] body) {
        try {
            Event event = EnvelopeReader.read(new ReceivedMessage("t", 0, 0, "k", body, Map.of()));
            assertThat(StorableText.isStorable(event.type() + event.aggregateType() + event.key()))
                    .isTrue();
        } catch (PoisonException refused) {
            assertThat(refused).hasMessageMatching("(?s)The .*\\.");
        }
    }
}

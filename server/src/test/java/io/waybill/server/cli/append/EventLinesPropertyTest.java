package io.waybill.server.cli.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.server.cli.command.Json;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;

/** Every input line is either an event or one error that names the line. */
class EventLinesPropertyTest {
    private static final String GOOD =
            "{\"id\":\"0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11\",\"type\":\"t\",\"aggregateType\":\"A\",\"key\":\"k\","
                    + "\"payload\":{\"a\":[1,2.50,null]},\"headers\":{\"h\":\"v\"},\"topic\":\"x\",\"version\":1,"
                    + "\"aggregateVersion\":7,\"occurredAt\":\"2026-01-31T12:00:00Z\"}";

    @Provide
    static Arbitrary<String> values() {
        return Arbitraries.oneOf(
                Arbitraries.strings().ofMaxLength(10).map(text -> Json.MAPPER.writeValueAsString(text)),
                Arbitraries.of("null", "true", "0", "-1", "1e9", "99999999999999999999", "1.5", "\"\"", "\" \""),
                Arbitraries.of("{}", "[]", "[[[]]]", "{\"a\":null}", "{\"\":\"\"}", "\"\\u0000\"", "\"\\ud83d\""),
                Arbitraries.of("\"0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11\"", "\"2026-01-31T12:00:00Z\"", "{", "]", ""));
    }

    @Provide
    static Arbitrary<String> objects() {
        Arbitrary<String> names = Arbitraries.frequencyOf(
                Tuple.of(
                        9,
                        Arbitraries.of(
                                "id",
                                "type",
                                "aggregateType",
                                "key",
                                "payload",
                                "headers",
                                "topic",
                                "version",
                                "aggregateVersion",
                                "occurredAt")),
                Tuple.of(1, Arbitraries.strings().ofMaxLength(5)));
        return Combinators.combine(names, values())
                .as((name, value) -> Json.MAPPER.writeValueAsString(name) + ":" + value)
                .list()
                .ofMaxSize(8)
                .map(fields -> fields.stream().collect(Collectors.joining(",", "{", "}")));
    }

    @Property(tries = 1_000, shrinking = ShrinkingMode.BOUNDED)
    void anObjectIsAnEventOrRejected(@ForAll("objects") String line) {
        readOrRefuse(line.getBytes(StandardCharsets.UTF_8));
    }

    /** A valid line with one field replaced: most of these get past the first checks. */
    @Property(tries = 1_000, shrinking = ShrinkingMode.BOUNDED)
    void aValidLineWithOneOtherValueIsAnEventOrRejected(@ForAll("values") String value, @ForAll int which) {
        String[] fields = {"\"t\"", "\"A\"", "\"k\"", "{\"a\":[1,2.50,null]}", "{\"h\":\"v\"}", "\"v\"", "\"x\"", "7"};
        String changed = GOOD.replace(fields[Math.floorMod(which, fields.length)], value);
        readOrRefuse(changed.getBytes(StandardCharsets.UTF_8));
    }

    @Property(tries = 1_000, shrinking = ShrinkingMode.BOUNDED)
    void aDamagedLineIsAnEventOrRejected(@ForAll int place, @ForAll byte value, @ForAll boolean cut) {
        byte[] line = GOOD.getBytes(StandardCharsets.UTF_8);
        int at = Math.floorMod(place, line.length);
        line[at] = value;
        readOrRefuse(cut ? Arrays.copyOf(line, at) : line);
    }

    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    void anyBytesAreEventsOrRejected(@ForAll byte[] bytes) {
        readOrRefuse(bytes);
    }

    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    void aPayloadIsKeptAsWritten(@ForAll("values") String payload) {
        byte[] line = ("{\"type\":\"t\",\"payload\": " + payload + " ,\"aggregateType\":\"A\",\"key\":\"k\"}")
                .getBytes(StandardCharsets.UTF_8);
        try {
            Event event =
                    new EventLines(new ByteArrayInputStream(line), 1_000).next().orElseThrow();
            assertThat(event.payload()).isEqualTo(payload);
        } catch (Problem refused) {
            assertThat(refused).hasMessageStartingWith("Line 1: ");
        }
    }

    private static void readOrRefuse(byte[] input) {
        EventLines lines = new EventLines(new ByteArrayInputStream(input), 1_000);
        try {
            for (Optional<Event> event = lines.next(); event.isPresent(); event = lines.next()) {
                assertThat(event.get().key()).isNotBlank();
            }
        } catch (Problem refused) {
            assertThat(refused.exit()).isEqualTo(Exit.USAGE);
            assertThat(refused).hasMessageStartingWith("Line " + lines.number() + ": ");
            assertThat(String.valueOf(refused.getMessage())).hasSizeLessThan(1_000);
        }
    }
}

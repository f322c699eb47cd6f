package io.waybill.server.cli.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.random.Draw;
import io.waybill.random.RandomCases;
import io.waybill.server.cli.command.Json;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every input line is either an event or one error that names the line. */
class EventLinesPropertyTest {
    private static final String GOOD =
            "{\"id\":\"0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11\",\"type\":\"t\",\"aggregateType\":\"A\",\"key\":\"k\","
                    + "\"payload\":{\"a\":[1,2.50,null]},\"headers\":{\"h\":\"v\"},\"topic\":\"x\",\"version\":1,"
                    + "\"aggregateVersion\":7,\"occurredAt\":\"2026-01-31T12:00:00Z\"}";

    private static String values(Draw draw) {
        return draw.from(
                () -> Json.MAPPER.writeValueAsString(draw.unicode(10)),
                () -> draw.of("null", "true", "0", "-1", "1e9", "99999999999999999999", "1.5", "\"\"", "\" \""),
                () -> draw.of("{}", "[]", "[[[]]]", "{\"a\":null}", "{\"\":\"\"}", "\"\\u0000\"", "\"\\ud83d\""),
                () -> draw.of("\"0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11\"", "\"2026-01-31T12:00:00Z\"", "{", "]", ""));
    }

    private static String objects(Draw draw) {
        return draw.list(8, () -> Json.MAPPER.writeValueAsString(names(draw)) + ":" + values(draw)).stream()
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** Returns the name of a field; any text, once in ten times. */
    private static String names(Draw draw) {
        return draw.integer(1, 10) == 10
                ? draw.unicode(5)
                : draw.of(
                        "id",
                        "type",
                        "aggregateType",
                        "key",
                        "payload",
                        "headers",
                        "topic",
                        "version",
                        "aggregateVersion",
                        "occurredAt");
    }

    @Test
    void anObjectIsAnEventOrRefused() {
        RandomCases.check(1_000, draw -> {
            String line = objects(draw);
            readOrRefuse(line.getBytes(StandardCharsets.UTF_8));
        });
    }

    /** Each field of a good line with another value: most are close enough to an event to get far. */
    @Test
    void aGoodLineWithOneOtherValueIsAnEventOrRefused() {
        RandomCases.check(1_000, draw -> {
            String value = values(draw);
            int which = draw.integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
            String[] fields = {
                "\"t\"", "\"A\"", "\"k\"", "{\"a\":[1,2.50,null]}", "{\"h\":\"v\"}", "\"v\"", "\"x\"", "7"
            };
            String changed = GOOD.replace(fields[Math.floorMod(which, fields.length)], value);
            readOrRefuse(changed.getBytes(StandardCharsets.UTF_8));
        });
    }

    @Test
    void aDamagedLineIsAnEventOrRefused() {
        RandomCases.check(1_000, draw -> {
            readOrRefuse(draw.damaged(GOOD.getBytes(StandardCharsets.UTF_8)));
        });
    }

    @Test
    void anyBytesAreEventsOrRefused() {
        RandomCases.check(500, draw -> {
            byte[] bytes = draw.bytes(255);
            readOrRefuse(bytes);
        });
    }

    @Test
    void aPayloadIsCutOutAsItStands() {
        RandomCases.check(500, draw -> {
            String payload = values(draw);
            byte[] line = ("{\"type\":\"t\",\"payload\": " + payload + " ,\"aggregateType\":\"A\",\"key\":\"k\"}")
                    .getBytes(StandardCharsets.UTF_8);
            try {
                Event event = new EventLines(new ByteArrayInputStream(line), 1_000)
                        .next()
                        .orElseThrow();
                assertThat(event.payload()).isEqualTo(payload);
            } catch (Problem refused) {
                assertThat(refused).hasMessageStartingWith("Line 1: ");
            }
        });
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

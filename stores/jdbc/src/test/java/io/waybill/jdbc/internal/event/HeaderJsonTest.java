package io.waybill.jdbc.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.envelope.JsonText;
import io.waybill.random.Draw;
import io.waybill.random.RandomCases;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Jackson is the reference: both readers get the same texts. */
class HeaderJsonTest {
    private static final JsonFactory JSON = new JsonFactory();

    @Test
    void headersAreReadAsTheyWereWritten() {
        RandomCases.check(2_000, draw -> {
            Map<String, String> headers = draw.map(5, () -> draw.unicode(10), () -> draw.unicode(30));

            assertThat(HeaderJson.parse(JsonText.object(headers))).isEqualTo(headers);
        });
    }

    @Test
    void everyObjectIsReadAsJacksonReadsIt() {
        RandomCases.check(5_000, draw -> {
            String json = object(draw, 3);

            assertThat(HeaderJson.parse(json)).isEqualTo(withJackson(json));
        });
    }

    /** These objects have no nested values: inside one, the reader checks only brackets and strings. */
    @Test
    void aDamagedTextIsReadAsJacksonReadsItOrKeptWhole() {
        RandomCases.check(20_000, draw -> {
            StringBuilder damaged = new StringBuilder(object(draw, 0));
            int position = draw.integer(0, damaged.length() - 1);
            if (draw.flag()) {
                damaged.deleteCharAt(position);
            } else {
                damaged.insert(position, draw.textOf("{}[]\",:\\ue0-1.tn\u0000\n \u00e4", 3));
            }
            String json = damaged.toString();

            Map<String, String> expected;
            try {
                expected = withJackson(json);
            } catch (JacksonException e) {
                expected = Map.of("headers", json);
            }
            assertThat(HeaderJson.parse(json)).isEqualTo(expected);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "7",
                "null",
                "\"text\"",
                "[\"a\"]",
                "{",
                "{} {}",
                "{\"a\":01}",
                "{\"a\":\"\\x\"}",
                "{\"a\":[}"
            })
    void aTextThatIsNotAnObjectIsKeptWhole(String text) {
        assertThat(HeaderJson.parse(text)).isEqualTo(Map.of("headers", text));
    }

    @Test
    void aDeeplyNestedValueIsRead() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);

        assertThat(HeaderJson.parse("{\"deep\":" + deep + "}")).isEqualTo(Map.of("deep", deep));
    }

    private static String object(Draw draw, int depth) {
        return draw
                .list(
                        4,
                        () -> space(draw) + string(draw) + space(draw) + ":" + space(draw) + value(draw, depth)
                                + space(draw))
                .stream()
                .collect(Collectors.joining(",", space(draw) + "{" + space(draw), "}" + space(draw)));
    }

    private static String value(Draw draw, int depth) {
        return switch (draw.integer(0, depth > 0 ? 6 : 4)) {
            case 0 -> draw.of("true", "false", "null");
            case 1 -> Long.toString(draw.number(Long.MIN_VALUE, Long.MAX_VALUE));
            case 2 -> draw.of("0", "-0", "1.50", "-12.0e+7", "3E-2", "1e400", "12345678901234567890.5");
            case 5 -> object(draw, depth - 1).strip();
            case 6 -> draw.list(3, () -> value(draw, depth - 1)).stream().collect(Collectors.joining(" ,", "[", "]"));
            default -> string(draw);
        };
    }

    private static String string(Draw draw) {
        List<String> parts = draw.list(
                5,
                () -> draw.of(
                        "a",
                        "key",
                        "\u00e4",
                        "\ud83d\ude00",
                        "{",
                        "]",
                        ",",
                        "\\\"",
                        "\\\\",
                        "\\/",
                        "\\b",
                        "\\f",
                        "\\n",
                        "\\r",
                        "\\t",
                        "\\u00E4",
                        "\\ud83d\\ude00",
                        "\\uD800",
                        "\\u0000"));
        return '"' + String.join("", parts) + '"';
    }

    private static String space(Draw draw) {
        return draw.of("", "", " ", "\n\t", "\r");
    }

    private static Map<String, String> withJackson(String json) {
        Map<String, String> headers = new LinkedHashMap<>();
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return Map.of("headers", json);
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value.isStructStart()) {
                    int start = (int) parser.currentTokenLocation().getCharOffset();
                    parser.skipChildren();
                    headers.put(name, json.substring(start, (int)
                            parser.currentLocation().getCharOffset()));
                } else if (value != JsonToken.VALUE_NULL) {
                    headers.put(name, parser.getString());
                }
            }
            return parser.nextToken() == null ? headers : Map.of("headers", json);
        }
    }
}

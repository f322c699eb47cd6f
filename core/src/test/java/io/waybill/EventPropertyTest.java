package io.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.random.Draw;
import io.waybill.random.RandomCases;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Any text at all: an event is built from it as it is, or it is refused with a reason. */
class EventPropertyTest {
    private static final int TRIES = 500;

    /** From ordinary letters to half surrogate pairs, NUL and nothing at all, short and just too long. */
    private static String texts(Draw draw) {
        return draw.from(
                () -> draw.text(20),
                () -> draw.ascii(20),
                () -> Character.toString(
                        draw.integer(Character.MIN_SUPPLEMENTARY_CODE_POINT, Character.MAX_CODE_POINT)),
                () -> "x".repeat(draw.integer(250, 260)));
    }

    /** Another way to say what PostgreSQL and UTF-8 can carry. */
    private static boolean isText(String text) {
        return text.indexOf(0) < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private static boolean isName(String text) {
        return isText(text) && !text.isBlank() && text.length() <= EventRules.LONGEST_NAME;
    }

    @Test
    void aNameIsTakenAsItIsOrRefused() {
        RandomCases.check(TRIES, draw -> {
            String name = texts(draw);
            if (isName(name)) {
                Event event = Event.builder(name, name, name).topic(name).build();
                assertThat(event.type()).isEqualTo(name);
                assertThat(event.aggregateType()).isEqualTo(name);
                assertThat(event.key()).isEqualTo(name);
                assertThat(event.destination()).isEqualTo(name);
            } else {
                refused(() -> Event.builder(name, "A", "k").build());
                refused(() -> Event.builder("t", name, "k").build());
                refused(() -> Event.builder("t", "A", name).build());
                refused(() -> Event.builder("t", "A", "k").topic(name).build());
            }
        });
    }

    @Test
    void aHeaderIsTakenAsItIsOrRefused() {
        RandomCases.check(TRIES, draw -> {
            String name = texts(draw);
            String value = texts(draw);
            if (isName(name) && isText(value)) {
                assertThat(Event.builder("t", "A", "k")
                                .header(name, value)
                                .build()
                                .headers())
                        .isEqualTo(Map.of(name, value));
            } else {
                refused(() -> Event.builder("t", "A", "k").header(name, value).build());
            }
        });
    }

    @Test
    void aPayloadIsTakenAsItIsOrRefused() {
        RandomCases.check(TRIES, draw -> {
            String payload = texts(draw);
            if (isText(payload)) {
                assertThat(Event.of("t", "A", "k", payload).payload()).isEqualTo(payload);
            } else {
                refused(() -> Event.of("t", "A", "k", payload));
            }
        });
    }

    @Test
    void noKeyBreaksALogLine() {
        RandomCases.check(TRIES, draw -> {
            String key = texts(draw);
            if (isName(key)) {
                assertThat(Event.of("t", "A", key, "{}").toString()).doesNotContain("\n", "\r", "\u001b");
            }
        });
    }

    private static void refused(Runnable build) {
        assertThatThrownBy(build::run).isInstanceOf(WaybillException.class).hasMessageMatching("(?s)(The |Header ).*");
    }
}

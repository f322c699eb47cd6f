package io.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** Any text at all: an event is built from it as it is, or it is assertRejected with a reason. */
class EventPropertyTest {
    private static final int TRIES = 500;

    /** Ordinary letters, unpaired surrogates, NUL and empty texts, short and slightly too long. */
    @Provide
    static Arbitrary<String> texts() {
        Arbitrary<String> wild = Arbitraries.strings().all().ofMaxLength(20);
        Arbitrary<String> tame = Arbitraries.strings().ascii().ofMaxLength(20);
        Arbitrary<String> pairs = Arbitraries.integers()
                .between(Character.MIN_SUPPLEMENTARY_CODE_POINT, Character.MAX_CODE_POINT)
                .map(Character::toString);
        Arbitrary<String> lengthy = Arbitraries.integers().between(250, 260).map("x"::repeat);
        return Arbitraries.oneOf(wild, tame, pairs, lengthy);
    }

    /** An independent implementation of the rule for texts that PostgreSQL and UTF-8 can carry. */
    private static boolean isText(String text) {
        return text.indexOf(0) < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private static boolean isName(String text) {
        return isText(text) && !text.isBlank() && text.length() <= EventRules.LONGEST_NAME;
    }

    @Property(tries = TRIES, shrinking = ShrinkingMode.BOUNDED)
    void aNameIsKeptUnchangedOrRejected(@ForAll("texts") String name) {
        if (isName(name)) {
            Event event = Event.builder(name, name, name).topic(name).build();
            assertThat(event.type()).isEqualTo(name);
            assertThat(event.aggregateType()).isEqualTo(name);
            assertThat(event.key()).isEqualTo(name);
            assertThat(event.destination()).isEqualTo(name);
        } else {
            assertRejected(() -> Event.builder(name, "A", "k").build());
            assertRejected(() -> Event.builder("t", name, "k").build());
            assertRejected(() -> Event.builder("t", "A", name).build());
            assertRejected(() -> Event.builder("t", "A", "k").topic(name).build());
        }
    }

    @Property(tries = TRIES, shrinking = ShrinkingMode.BOUNDED)
    void aHeaderIsKeptUnchangedOrRejected(@ForAll("texts") String name, @ForAll("texts") String value) {
        if (isName(name) && isText(value)) {
            assertThat(Event.builder("t", "A", "k").header(name, value).build().headers())
                    .isEqualTo(Map.of(name, value));
        } else {
            assertRejected(
                    () -> Event.builder("t", "A", "k").header(name, value).build());
        }
    }

    @Property(tries = TRIES, shrinking = ShrinkingMode.BOUNDED)
    void aPayloadIsKeptUnchangedOrRejected(@ForAll("texts") String payload) {
        if (isText(payload)) {
            assertThat(Event.of("t", "A", "k", payload).payload()).isEqualTo(payload);
        } else {
            assertRejected(() -> Event.of("t", "A", "k", payload));
        }
    }

    @Property(tries = TRIES, shrinking = ShrinkingMode.BOUNDED)
    void noKeyBreaksALogLine(@ForAll("texts") String key) {
        if (isName(key)) {
            assertThat(Event.of("t", "A", key, "{}").toString()).doesNotContain("\n", "\r", "\u001b");
        }
    }

    private static void assertRejected(Runnable build) {
        assertThatThrownBy(build::run).isInstanceOf(WaybillException.class).hasMessageMatching("(?s)(The |Header ).*");
    }
}

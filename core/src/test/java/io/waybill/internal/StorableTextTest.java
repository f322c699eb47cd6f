package io.waybill.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StorableTextTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "🚚", "a🚚b", "\u0001\uffff"})
    void textWithWholeCharactersIsStoredAsItIs(String text) {
        assertThat(StorableText.isStorable(text)).isTrue();
        assertThat(StorableText.unpairedSurrogate(text)).isNegative();
        assertThat(StorableText.sanitize(text)).isEqualTo(text);
    }

    @Test
    void nulAndUnpairedSurrogatesBecomeQuestionMarks() {
        String text = "a\0b\ud83dc\ude9a🚚\ud83d";
        assertThat(StorableText.isStorable(text)).isFalse();
        assertThat(StorableText.unpairedSurrogate(text)).isEqualTo(3);
        assertThat(StorableText.sanitize(text)).isEqualTo("a?b?c?🚚?");
    }

    @Test
    void aTextThatIsTooLongEndsWithAnEllipsis() {
        assertThat(StorableText.sanitize("a\0cd", 4)).isEqualTo("a?cd");
        assertThat(StorableText.sanitize("a\0cde", 4)).isEqualTo("a?c…");
    }
}

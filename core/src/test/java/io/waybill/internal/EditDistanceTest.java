package io.waybill.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EditDistanceTest {
    @ParameterizedTest
    @CsvSource({
        "relay, relay, 0",
        "relay, RELAY, 0",
        "relay, relays, 1",
        "relay, rely, 1",
        "relay, delay, 1",
        "relay, realy, 1",
        "relay, broker, 5",
        "'', abc, 3",
    })
    void countsTheEditsBetweenTwoTexts(String left, String right, int edits) {
        assertThat(EditDistance.between(left, right)).isEqualTo(edits);
        assertThat(EditDistance.between(right, left)).isEqualTo(edits);
    }
}

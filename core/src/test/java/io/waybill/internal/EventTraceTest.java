package io.waybill.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventTraceTest {
    @Test
    void theTraceIdIsTheSecondPartOfTheHeader() {
        assertThat(EventTrace.id("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "event"))
                .isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
    }

    /** Any writer may set the header, and the trace id is written to logs. */
    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "00-",
                "00-4bf92f3577b34da6a3ce929d0e0e4736",
                "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e47\n6-00f067aa0ba902b7-01"
            })
    void aMissingOrMalformedHeaderYieldsTheEventId(@Nullable String traceparent) {
        assertThat(EventTrace.id(traceparent, "event")).isEqualTo("event");
    }
}

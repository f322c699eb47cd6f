package io.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventTest {
    @Test
    void anEventHasDefaults() {
        Event event = Event.of("order.placed", "Order", "42", "{}");

        assertThat(event.id().version()).isEqualTo(7);
        assertThat(event.version()).isEqualTo(1);
        assertThat(event.destination()).isEqualTo("order.placed");
        assertThat(event.topic()).isEmpty();
        assertThat(event.aggregateVersion()).isEmpty();
        assertThat(event.headers()).isEmpty();
    }

    @Test
    void anExplicitTopicIsTheDestination() {
        Event event =
                Event.builder("order.placed", "Order", "42").topic("orders").build();
        assertThat(event.destination()).isEqualTo("orders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   ", "a\0b", "\ud83d", "\ude9a\ud83d"})
    void anInvalidKeyIsRejected(String key) {
        assertThatThrownBy(() -> Event.of("order.placed", "Order", key, "{}"))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("key");
    }

    @Test
    void namesHaveALimit() {
        assertThat(Event.of("t", "A", "k".repeat(255), "{}").key()).hasSize(255);
        assertThatThrownBy(() -> Event.of("t", "A", "k".repeat(256), "{}")).hasMessageContaining("256");
    }

    @Test
    void anInvalidHeaderIsNamedInTheError() {
        assertThatThrownBy(() ->
                        Event.builder("t", "A", "k").header("note", "a\0b").build())
                .hasMessageContaining("header note")
                .hasMessageContaining("NUL");
        assertThatThrownBy(() -> Event.builder("t", "A", "k")
                        .header("note", "x".repeat(40_000))
                        .build())
                .hasMessageContaining("note");
    }

    @Test
    void aKeyCannotForgeALogLine() {
        assertThat(Event.of("t", "A", "1\n2026 ERROR all is lost", "{}").toString())
                .startsWith("t/1 2026 ERROR all is lost ")
                .doesNotContain("\n");
    }

    @Test
    void charactersOutsideTheBasicPlaneAreAccepted() {
        assertThat(Event.of("t", "A", "🚚", "{\"x\": \"🚚\"}").key()).isEqualTo("🚚");
    }

    @Test
    void aStoredEventIsRestoredWithoutValidation() {
        UUID id = UUID.randomUUID();
        Event event = Event.builder(" ", " ", "\0").id(id).version(-1).restore();
        assertThat(event.id()).isEqualTo(id);
    }

    @Test
    void defaultHeadersChangeNothingElse() {
        Event event = Event.builder("order.placed", "Order", "42")
                .version(2)
                .aggregateVersion(7)
                .topic("orders")
                .payload("{\"total\":10}")
                .header("user-id", "ann")
                .build();

        Event complete = event.withDefaultHeaders(Map.of("user-id", "bob", "correlation-id", "c"));

        assertThat(complete.headers()).isEqualTo(Map.of("user-id", "ann", "correlation-id", "c"));
        assertThat(complete)
                .usingRecursiveComparison()
                .ignoringFields("headers")
                .isEqualTo(event);
        assertThat(event.withDefaultHeaders(Map.of("user-id", "bob"))).isSameAs(event);
    }
}

package io.waybill.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NoEnvelopeTest {
    private final Event.Builder event = Event.builder("Changed", "order", "42").topic("outbox.event.order");

    @Test
    void theMessageConsistsOfPayloadAndHeadersOfTheEvent() {
        Event written = event.payload("{\"total\": 1.50}").header("id", "7").build();
        Message message = Envelope.none().seal(written);
        assertThat(new String(message.value(), StandardCharsets.UTF_8)).isEqualTo("{\"total\": 1.50}");
        assertThat(message.headers()).isEqualTo(Map.of("id", "7"));
        assertThat(message.topic()).isEqualTo("outbox.event.order");
        assertThat(message.key()).isEqualTo("42");
        assertThat(message.id()).isEqualTo(written.id());
    }

    @Test
    void aHeaderThatNoBrokerCanCarryIsRejected() {
        Event broken = event.header("a", "\ud83d").restore();
        assertThatThrownBy(() -> Envelope.none().seal(broken)).hasMessageContaining("unpaired surrogate");
    }
}

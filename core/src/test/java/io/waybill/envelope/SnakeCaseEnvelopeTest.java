package io.waybill.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class SnakeCaseEnvelopeTest {
    private static final UUID ID = UUID.fromString("0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11");

    private static Event.Builder event() {
        return Event.builder("user.created", "user", "65a1\"b")
                .id(ID)
                .version(2)
                .topic("sc.domain.user")
                .payload("{\"role\": \"USER\"}")
                .occurredAt(Instant.parse("2026-02-05T10:30:00Z"));
    }

    private static String text(Event event) {
        return new String(Envelope.snakeCase("social-commerce-api").seal(event).value(), StandardCharsets.UTF_8);
    }

    @Test
    void everyFieldIsWritten() {
        Event event = event().aggregateVersion(5)
                .header(Headers.USER_ID, "u-1")
                .header(Headers.CORRELATION_ID, "c-1")
                .header(Headers.TRACEPARENT, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .header("privacy-tier", "restricted")
                .build();
        assertThat(text(event)).isEqualTo("""
                {"event_id":"0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11","event_type":"user.created","entity_type":"user",\
                "entity_id":"65a1\\"b","entity_version":5,"occurred_at":"2026-02-05T10:30:00Z",\
                "trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","correlation_id":"c-1","producer":"social-commerce-api",\
                "actor":{"actor_type":"USER","actor_id":"u-1"},"schema_version":2,"privacy_tier":"restricted",\
                "data":{"role": "USER"}}""");
    }

    @Test
    void anEventWithoutActorAndVersionComesFromTheSystem() {
        assertThat(text(event().build()))
                .contains("\"actor\":{\"actor_type\":\"SYSTEM\"}", "\"privacy_tier\":\"internal\"")
                .doesNotContain("entity_version");
    }

    @Test
    void aWholeEnvelopeIsSentUnchanged() {
        Message message = Envelope.snakeCase("api")
                .seal(event().header(Headers.ENVELOPE, "none")
                        .payload("{\"event_id\":\"1\"}")
                        .build());
        assertThat(new String(message.value(), StandardCharsets.UTF_8)).isEqualTo("{\"event_id\":\"1\"}");
        assertThat(message.headers()).containsEntry(Headers.EVENT_ID, ID.toString());
    }
}

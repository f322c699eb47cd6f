package io.waybill.envelope;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.internal.EventTrace;
import java.util.Map;

/** The envelope of services that name fields in snake case. Headers are the same as those of the standard envelope. */
final class SnakeCaseEnvelope extends StandardEnvelope {
    private static final String ACTOR_TYPE = "actor-type";
    private static final String PRIVACY_TIER = "privacy-tier";

    SnakeCaseEnvelope(String producer) {
        super(producer);
    }

    @Override
    String wrap(Event event, String id, String correlationId) {
        Map<String, String> headers = event.headers();
        String user = headers.get(Headers.USER_ID);
        String actor = headers.getOrDefault(ACTOR_TYPE, user == null ? "SYSTEM" : "USER");
        return "{\"event_id\":\"" + id
                + "\",\"event_type\":\"" + JsonText.escaped(event.type())
                + "\",\"entity_type\":\"" + JsonText.escaped(event.aggregateType())
                + "\",\"entity_id\":\"" + JsonText.escaped(event.key())
                + (event.aggregateVersion().isPresent()
                        ? "\",\"entity_version\":" + event.aggregateVersion().getAsLong() + ",\"occurred_at\":\""
                        : "\",\"occurred_at\":\"")
                + Timestamp.text(event.occurredAt())
                + "\",\"trace_id\":\"" + EventTrace.id(headers.get(Headers.TRACEPARENT), id)
                + "\",\"correlation_id\":\"" + JsonText.escaped(correlationId)
                + "\",\"producer\":\"" + JsonText.escaped(headers.getOrDefault(Headers.SOURCE, source))
                + "\",\"actor\":{\"actor_type\":\"" + JsonText.escaped(actor) + "\"" + optional("actor_id", user)
                + "},\"schema_version\":" + event.version()
                + ",\"privacy_tier\":\"" + JsonText.escaped(headers.getOrDefault(PRIVACY_TIER, "internal"))
                + "\",\"data\":" + event.payload() + "}";
    }
}

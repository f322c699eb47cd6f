package io.waybill.examples.logistics.outbox;

import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** An event that the service sends itself. The message is the same JSON that the relay would send by outbox-layout.properties. */
record OutgoingEvent(UUID id, UUID tenant, String aggregateType, UUID aggregateId, String eventType, String payload) {

    Message message(JsonMapper json) {
        ObjectNode body = (ObjectNode) json.readTree(payload);
        body.put("messageId", id.toString());
        return new Message(
                id,
                "logistics." + aggregateType.toLowerCase(Locale.ROOT),
                aggregateId.toString(),
                json.writeValueAsString(body).getBytes(StandardCharsets.UTF_8),
                Map.of("event-type", eventType, "tenant-id", tenant.toString()));
    }
}

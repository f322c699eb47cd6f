package io.waybill.saga.internal.execution;

import io.waybill.Event;
import java.time.Instant;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/** An event as JSON, kept until a saga can use it. */
public record StoredEvent(Event event) {

    void write(ObjectNode node) {
        node.put("id", event.id().toString());
        node.put("type", event.type());
        node.put("aggregateType", event.aggregateType());
        node.put("key", event.key());
        node.put("version", event.version());
        node.put("occurredAt", event.occurredAt().toString());
        node.put("payload", event.payload());
        ObjectNode headers = node.putObject("headers");
        event.headers().forEach(headers::put);
    }

    static StoredEvent read(ObjectNode node) {
        Event.Builder event = Event.builder(
                        node.path("type").asString(),
                        node.path("aggregateType").asString(),
                        node.path("key").asString())
                .id(UUID.fromString(node.path("id").asString()))
                .version(node.path("version").asInt(1))
                .occurredAt(Instant.parse(node.path("occurredAt").asString()))
                .payload(node.path("payload").asString());
        node.path("headers")
                .propertyStream()
                .forEach(header ->
                        event.header(header.getKey(), header.getValue().asString()));
        return new StoredEvent(event.restore());
    }
}

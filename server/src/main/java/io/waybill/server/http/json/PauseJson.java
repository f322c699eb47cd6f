package io.waybill.server.http.json;

import io.waybill.admin.OutboxPause;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Pauses as JSON. */
public final class PauseJson {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private PauseJson() {}

    public static ObjectNode of(OutboxPause pause) {
        return JSON.createObjectNode()
                .put("scope", pause.scope().name())
                .put("value", pause.value())
                .put("since", pause.since().toString())
                .put("until", pause.until() == null ? null : pause.until().toString())
                .put("actor", pause.actor())
                .put("reason", pause.reason());
    }
}

package io.waybill.server.http.overview;

import io.waybill.admin.OutboxStatus;
import io.waybill.server.http.json.InboxJson;
import io.waybill.server.http.json.PauseJson;
import io.waybill.server.http.json.SagasJson;
import io.waybill.server.http.json.StatusJson;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An overview as JSON. */
final class OverviewJson {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private OverviewJson() {}

    static ObjectNode of(Overview overview) {
        OutboxStatus status = overview.status();
        ObjectNode counts = StatusJson.of(status);
        ObjectNode json = JSON.createObjectNode()
                .put("outbox", overview.outbox())
                .put("at", status.at().toString())
                .put("inPerSecond", overview.inPerSecond() == null ? null : tenths(overview.inPerSecond()))
                .put("outPerSecond", tenths(status.publishedPerSecond()));
        json.set("oldestAgeSeconds", counts.get("oldestAgeSeconds"));
        json.put("pending", status.pending())
                .put("inFlight", status.claimed())
                .put("retrying", status.retrying())
                .put("parked", status.parked())
                .put("deadLetters", status.deadLetters())
                .put("blockedKeys", status.blockedKeys())
                .put("liveRelays", status.liveRelays());
        json.set("relays", counts.get("relays"));
        json.set("lanes", counts.get("lanes"));
        ArrayNode inbox = json.putArray("inbox");
        overview.inbox().forEach(group -> inbox.add(InboxJson.status(group)));
        json.set("sagas", overview.sagas().map(SagasJson::totals).orElse(null));
        ArrayNode pauses = json.putArray("pauses");
        overview.pauses().forEach(pause -> pauses.add(PauseJson.of(pause)));
        json.set("warnings", counts.get("warnings"));
        ArrayNode reasons = json.putArray("reasons");
        for (Reason reason : overview.reasons()) {
            reasons.addObject()
                    .put("code", reason.code().name())
                    .put("severity", reason.severity().name().toLowerCase(Locale.ROOT))
                    .put("sentence", reason.sentence())
                    .put("remedy", reason.remedy())
                    .put("link", "#/" + reason.page());
        }
        return json;
    }

    private static double tenths(double value) {
        return Math.round(value * 10) / 10.0;
    }
}

package io.waybill.server.http.json;

import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxStatus.LaneStatus;
import io.waybill.admin.OutboxStatus.RelayStatus;
import io.waybill.saga.admin.SagaTotals;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The status as JSON, for `waybill status --json` and for HTTP. Scripts rely on the field names. */
public final class StatusJson {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private StatusJson() {}

    /** @param sagas empty if the database has no sagas; the field is missing then */
    public static ObjectNode of(OutboxStatus status, Optional<SagaTotals> sagas) {
        ObjectNode json = of(status);
        sagas.ifPresent(totals -> json.set("sagas", SagasJson.totals(totals)));
        return json;
    }

    public static ObjectNode of(OutboxStatus status) {
        ObjectNode json = JSON.createObjectNode();
        json.put("at", status.at().toString());
        json.put("pending", status.pending());
        json.put("claimed", status.claimed());
        json.put("retrying", status.retrying());
        json.put("parked", status.parked());
        json.put("blockedKeys", status.blockedKeys());
        json.put("deadLetters", status.deadLetters());
        json.put("oldestAgeSeconds", seconds(status.oldestAge()));
        json.put("publishedPerSecond", tenths(status.publishedPerSecond()));
        json.put("liveRelays", status.liveRelays());
        var relays = json.putArray("relays");
        for (RelayStatus relay : status.relays()) {
            relays.addObject()
                    .put("name", relay.name())
                    .put("place", relay.place())
                    .put("version", relay.version())
                    .put("startedAt", relay.startedAt().toString())
                    .put("secondsSinceHeartbeat", seconds(relay.sinceHeartbeat()))
                    .put("live", relay.live())
                    .put("serving", relay.serving())
                    .put("lanes", relay.lanes())
                    .put("publishedTotal", relay.publishedTotal())
                    .put("publishedPerSecond", tenths(relay.publishedPerSecond()));
        }
        var lanes = json.putArray("lanes");
        for (LaneStatus lane : status.lanes()) {
            lanes.addObject()
                    .put("lane", lane.lane())
                    .put("owner", lane.owner())
                    .put("fence", lane.fence())
                    .put("remainingSeconds", seconds(lane.remaining()))
                    .put("waiting", lane.waiting())
                    .put("lagSeconds", seconds(lane.lag()));
        }
        var warnings = json.putArray("warnings");
        status.warnings().forEach(warnings::add);
        return json;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }

    private static double tenths(double value) {
        return Math.round(value * 10) / 10.0;
    }
}

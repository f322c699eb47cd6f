package io.waybill.server.http;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.server.http.json.StatusJson;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Permission;
import io.waybill.server.http.request.Routes;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Probes, metrics and the status. */
final class StatusRoutes {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpContent content;

    StatusRoutes(HttpContent content) {
        this.content = content;
    }

    /** With a sign-in, details and numbers are for users only. */
    void addTo(Routes routes) {
        routes.get("/livez", Access.ANYONE, StatusRoutes::live)
                .get("/readyz", Access.ANYONE, call -> ready(call, call.permits(Permission.VIEW)))
                .get("/metrics", Access.VIEW, this::metrics)
                .get("/api/status", Access.VIEW, this::status);
    }

    /** For a port that only probes reach. */
    void addProbesTo(Routes routes) {
        routes.get("/livez", Access.ANYONE, StatusRoutes::live)
                .get("/readyz", Access.ANYONE, call -> ready(call, true))
                .get("/metrics", Access.ANYONE, this::metrics);
    }

    private static void live(Call call) {
        call.json(JSON.createObjectNode().put("live", true));
    }

    private void ready(Call call, boolean details) {
        List<HealthCheck> checks = content.checks().get();
        boolean ready = checks.stream().allMatch(HealthCheck::ok);
        ObjectNode body = JSON.createObjectNode().put("ready", ready);
        ObjectNode list = body.putObject("checks");
        for (HealthCheck check : checks) {
            ObjectNode json = list.putObject(check.name()).put("ok", check.ok());
            if (details) {
                json.put("detail", check.detail());
            }
        }
        call.json(ready ? 200 : 503, body);
    }

    private void metrics(Call call) {
        call.context()
                .contentType("text/plain; version=0.0.4; charset=utf-8")
                .result(content.metrics().get());
    }

    private void status(Call call) {
        OutboxStatus status;
        try {
            status = content.status().get();
        } catch (WaybillException e) {
            call.json(503, JSON.createObjectNode().put("error", e.getMessage()));
            return;
        }
        call.json(StatusJson.of(status, content.sagas().get()));
    }
}

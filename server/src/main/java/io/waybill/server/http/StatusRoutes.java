package io.waybill.server.http;

import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Permission;
import io.waybill.server.http.request.Routes;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;

/** Probes, metrics and the status. */
final class StatusRoutes {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final OutboxResources outboxes;
    private final Supplier<String> metrics;

    /** @param metrics called once per request */
    StatusRoutes(OutboxResources outboxes, Supplier<String> metrics) {
        this.outboxes = outboxes;
        this.metrics = metrics;
    }

    /** If there is a sign-in, only signed-in users get details, metrics and the status. */
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
        send(call, outboxes.ready(call.query("outbox"), details));
    }

    private void status(Call call) {
        send(call, outboxes.status(call.query("outbox")));
    }

    private static void send(Call call, OutboxResources.Answer answer) {
        call.json(answer.status(), answer.body());
    }

    private void metrics(Call call) {
        call.context().contentType("text/plain; version=0.0.4; charset=utf-8").result(metrics.get());
    }
}

package io.waybill.server.http.api;

import io.waybill.admin.AuditEntry;
import io.waybill.admin.AuditFilter;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Routes;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The audit of operator actions. */
final class AuditRoutes {
    private final Outboxes outboxes;

    AuditRoutes(Outboxes outboxes) {
        this.outboxes = outboxes;
    }

    void addTo(Routes routes) {
        routes.get("/api/v1/outboxes/{o}/audit", Access.VIEW, this::list);
    }

    private void list(Call call) {
        @Nullable Boolean refused = call.query("refused").isPresent() ? call.queryFlag("refused") : null;
        AuditFilter filter = new AuditFilter(
                call.query("actor").orElse(null), call.query("action").orElse(null), refused);
        call.json(Requests.page(
                outboxes.search(call).audit(filter, Requests.cursor(call), Requests.limit(call)), AuditRoutes::json));
    }

    private static ObjectNode json(AuditEntry entry) {
        return Requests.object()
                .put("id", entry.id())
                .put("at", entry.at().toString())
                .put("actor", entry.actor())
                .put("action", entry.action())
                .put("reason", entry.reason())
                .put("events", entry.events())
                .put("refused", entry.refused())
                .put("actionId", entry.actionId())
                .put("origin", entry.origin())
                .put("detail", entry.detail());
    }
}

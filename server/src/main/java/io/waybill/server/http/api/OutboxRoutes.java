package io.waybill.server.http.api;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxStatus;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Permission;
import io.waybill.server.http.request.Role;
import io.waybill.server.http.request.Routes;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The outboxes of this instance, and what each role may do. */
final class OutboxRoutes {
    private final Outboxes outboxes;

    OutboxRoutes(Outboxes outboxes) {
        this.outboxes = outboxes;
    }

    void addTo(Routes routes) {
        routes.get("/api/v1/outboxes", Access.VIEW, this::list)
                .get("/api/v1/permissions", Access.VIEW, call -> call.json(permissions(routes)));
    }

    private void list(Call call) {
        call.json(Requests.list(List.copyOf(outboxes.all()), OutboxRoutes::outbox));
    }

    private static ObjectNode outbox(ServedOutbox outbox) {
        String state = "ok";
        @Nullable String detail = null;
        try {
            OutboxStatus status = outbox.status().get();
            if (status.liveRelays() == 0) {
                state = "warning";
                detail = "No relay is running.";
            } else if (!status.warnings().isEmpty()) {
                state = "warning";
                detail = status.warnings().get(0);
            }
        } catch (WaybillException e) {
            state = "down";
            detail = e.getMessage();
        }
        ServedOutbox.Description description = outbox.description();
        return Requests.object()
                .put("name", description.name())
                .put("engine", description.engine())
                .put("database", description.database())
                .put("databaseProduct", description.product())
                .put("broker", description.broker())
                .put("state", state)
                .put("detail", detail)
                .put("layout", description.layout());
    }

    private static ObjectNode permissions(Routes routes) {
        ObjectNode json = Requests.object();
        ArrayNode roles = json.putArray("roles");
        for (Role role : Role.values()) {
            ArrayNode granted = roles.addObject().put("role", role.label()).putArray("permissions");
            for (Permission permission : Permission.values()) {
                if (role.grants(permission)) {
                    granted.add(label(permission));
                }
            }
        }
        ArrayNode table = json.putArray("routes");
        for (Routes.Route route : routes.all()) {
            table.addObject()
                    .put("method", route.method())
                    .put("path", route.path())
                    .put("role", route.access().role())
                    .put(
                            "permission",
                            route.access().permission().map(OutboxRoutes::label).orElse(null));
        }
        return json;
    }

    private static String label(Permission permission) {
        return permission.name().toLowerCase(Locale.ROOT);
    }
}

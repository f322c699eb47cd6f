package io.waybill.server.http.api;

import io.waybill.admin.Action;
import io.waybill.admin.ActionResult;
import io.waybill.admin.OutboxPause;
import io.waybill.admin.OutboxPause.Scope;
import io.waybill.server.http.json.PauseJson;
import io.waybill.server.http.request.Access;
import io.waybill.server.http.request.Body;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Refusal;
import io.waybill.server.http.request.Routes;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Pauses of relays, topics, types and keys. */
final class PauseRoutes {
    private static final String PAUSES = "/api/v1/outboxes/{o}/pauses";
    private static final int LONGEST_VALUE = 255;

    private final Outboxes outboxes;
    private final Requests requests;

    PauseRoutes(Outboxes outboxes, Requests requests) {
        this.outboxes = outboxes;
        this.requests = requests;
    }

    void addTo(Routes routes) {
        routes.get(PAUSES, Access.VIEW, this::list)
                .post(PAUSES, Access.ACT, this::pause)
                .post(PAUSES + "/resume", Access.ACT, this::resume);
    }

    private void list(Call call) {
        call.json(Requests.list(outboxes.search(call).pauses(), PauseJson::of));
    }

    private void pause(Call call) {
        Body body = call.body();
        Action action = requests.action(call, body);
        Scope scope = body.choice("scope", Scope.class);
        String value = value(body, scope);
        @Nullable Instant until = body.time("until").orElse(null);
        body.requireNoMore();
        ActionResult result = outboxes.actions(call).pause(scope, value, until, action);
        call.json(Requests.outcome("pause", action, result, "Relays honour the pause within a second."));
    }

    private void resume(Call call) {
        Body body = call.body();
        Action action = requests.action(call, body);
        Scope scope = body.choice("scope", Scope.class);
        String value = value(body, scope);
        body.requireNoMore();
        ActionResult result = outboxes.actions(call).resume(scope, value, action);
        call.json(Requests.outcome("resume", action, result, "Relays continue within a second."));
    }

    private static String value(Body body, Scope scope) {
        return body.optionalText("value", LONGEST_VALUE).orElseGet(() -> {
            if (scope == Scope.RELAY) {
                return OutboxPause.EVERY_RELAY;
            }
            throw Refusal.invalid("value", "The field value is missing: it names what is paused.");
        });
    }
}
